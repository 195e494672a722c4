"""What eqlearn is compared with (paper, section 4), each behind the same question."""
