"""Compiling ahead: the loops of games as a library for each platform. Takes the extra `build`."""
