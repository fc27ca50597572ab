"""HACKtheGRID solved exactly."""
