"""The batch interface: N games at once for your own loops, every seat yours or one of them."""
