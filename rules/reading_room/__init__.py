"""The reading room: a rulebook as a player reads it at the table, in chapters of plain values.

``chapters.room`` draws a whole book in one language; ``search`` finds something in it. Nothing here
knows of the database or of requests: pages only lay out what is drawn here.
"""
