"""The commands of ``cyberdeck``, a module for each few. What is heavy is imported when run."""
