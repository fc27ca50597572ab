"""What every game shares: the contract, the dice, the compiled loops, saved states."""
