"""Printing: the press in a process of its own, who waits for it, and what it has made before."""
