"""How tables are kept in files, one module for each kind."""
