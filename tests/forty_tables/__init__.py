"""Forty tables with two phones each, at a site that is served as ``script/server`` serves it."""
