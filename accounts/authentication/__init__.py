"""Signing up and in: who may, by which password and code, and how guessing is slowed down."""
