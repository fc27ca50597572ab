"""What the documentation's site needs besides Sphinx: see docs/conf.py and `make site`."""
