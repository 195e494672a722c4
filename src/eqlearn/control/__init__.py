"""Control: rollouts, simulation, planning, the swing-up task (paper, section 5)."""
