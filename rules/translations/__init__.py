"""The pages of the translations of rulebooks: sending, reading and choosing them."""
