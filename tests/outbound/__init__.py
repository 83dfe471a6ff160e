"""Tests of messages to other servers."""
