"""Games on a device."""
