"""Players that users bring: code, models of other libraries, files."""
