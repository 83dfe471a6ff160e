"""Limits on files of catalogues and lists, counted while they are read."""

from __future__ import annotations

# Of one upload: bytes when unpacked, files with catalogues, and all files in its zips.
BIGGEST_TOGETHER = 16 << 20
MOST_FILES = 40
MOST_IN_ZIPS = 2_000
# Elements of all files together, and how deep they are nested.
MOST_ELEMENTS = 200_000
DEEPEST = 60
# Attributes of an element.
MOST_ATTRIBUTES = 100
# Bytes of a tag with its attributes: a parser keeps it whole before anything can be counted.
LONGEST_TAG = 256 << 10
# Letters of a line, of a text of several lines, and of an id. The rest is cut, and named.
LONGEST_LINE = 4_000
LONGEST_TEXT = 40_000
LONGEST_ID = 200
# The absolute value of a number.
MOST_NUMBER = 1_000_000_000
# JSON: values for each element of XML (a string of an object is one), and fields of an object.
MOST_VALUES = 12 * MOST_ELEMENTS
MOST_FIELDS = 200
# Kinds of elements and attributes that are not understood and named.
MOST_NAMED = 60
# Selections that are reached from the roots by all ways through links.
MOST_PATHS = 300_000
# Elements of the longest of these ways.
DEEPEST_PATH = 120
# A list: bytes, elements.
BIGGEST_LIST = 8 << 20
MOST_LIST_ELEMENTS = 100_000
# The process that reads and maps one upload: seconds of the processor, and bytes of memory in
# addition to those of the program itself.
READ_SECONDS = 20
READ_MEMORY = 384 << 20
# The same for a list.
LIST_SECONDS = 5
LIST_MEMORY = 256 << 20
