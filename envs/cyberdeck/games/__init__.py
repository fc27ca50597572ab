"""The games: one folder each, with its rules, observation, heuristic, drawing and RULES.md."""
