"""Campaigns to start with: they are grafted onto a game that has none. Everything here is pure.

``shipped`` has the campaigns of the site, ``grafting`` gives a game's data one of them, or that of
another rulebook: ``guess_matches`` proposes what stands for what, ``graft`` does it.
"""
