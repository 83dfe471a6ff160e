"""Notices on the devices of users, sent through the push services of their browsers (RFC 8030)."""
