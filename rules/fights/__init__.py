"""Simulated fights on a page: worked out bit by bit, and told in words."""
