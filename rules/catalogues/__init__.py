"""Games from the catalogues of army builders: read, understood, and written as rulebooks."""
