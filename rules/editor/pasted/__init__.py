"""Rows from a spreadsheet: lines, cells, names of other rows, and the page that takes them."""
