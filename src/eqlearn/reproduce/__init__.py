"""The experiments of the paper, each resumable, with its tables and figures."""
