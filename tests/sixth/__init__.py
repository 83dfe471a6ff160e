"""A sixth rulebook, with rules that none of the shipped rulebooks uses."""
