"""Addresses for monitoring programs: readiness and metrics."""
