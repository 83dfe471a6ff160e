"""What tests speak of: gangs, campaigns, tables and pasts, made in a few words (README.md)."""
