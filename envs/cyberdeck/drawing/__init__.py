"""Pictures: our own lettering, SVG helpers, and ways to turn an SVG into pixels and windows."""
