"""The HTTP API: programs read what their token's owner may read."""
