"""Training and evaluating agents for cyberdeck's games. Needs the extra ``train``."""
