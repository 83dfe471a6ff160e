"""Two games of the tests' own: a quarrel over the terraces of a vineyard, and circles that call
spirits.
"""
