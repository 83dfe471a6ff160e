"""How dice are thrown, from questions and without formulas: the pages and their forms."""
