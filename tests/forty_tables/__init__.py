"""Forty tables with two phones each, on a site that is served as by ``script/server``."""
