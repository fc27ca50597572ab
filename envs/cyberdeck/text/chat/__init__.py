"""Chat models as players, by the protocol that most servers of language models speak."""
