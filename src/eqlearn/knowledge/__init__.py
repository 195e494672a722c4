"""What the user knows of a law before the data are looked at."""
