"""All limits of what a rulebook may cost, whether a stranger wrote it or not.

``docs/rulebook-limits.md`` says them in words. Those of steps, expressions and work hold for every
rulebook; those of sizes and rows only for what strangers write (variants, and what files bring
from other sites), and are several times what the shipped rulebooks need.
"""

from __future__ import annotations

# Of every rulebook.

# Steps of a procedure or roll, once all that it uses is put in; and of all rolls together.
MOST_STEPS = 2_000
MOST_STEPS_TOGETHER = 10_000
# Characters of an expression, and how deep its parts are nested.
LONGEST_EXPRESSION = 1_000
DEEPEST_EXPRESSION = 30
# Units of work (``rules.bounds.work``): for the odds of one roll, or for throwing it once; for all
# that one request asks for.
ROLL_WORK = 1_000_000
REQUEST_WORK = 1_500_000
# For a table as it stands, and more for each of its taps.
TABLE_WORK = 200_000
TAP_WORK = 600
# States of a roll that are followed side by side.
MOST_STATES = 20_000
# Results of one kind that a process keeps, whatever they were worked out for; and letters of
# expressions that were read.
MOST_KEPT = 100_000
MOST_LETTERS_KEPT = 400_000

# Of a stranger's rulebook.

# Bytes of its text, how deep that is nested, and its values.
BIGGEST_TEXT = 400_000
DEEPEST_TEXT = 20
MOST_VALUES = 30_000
# Versions that come with one file: how many, their bytes, and seconds to read them in.
MOST_VERSIONS = 40
BIGGEST_TOGETHER = 1_500_000
LONGEST_TOGETHER = 10
# Rows of a table of the rulebook, if the list below does not say otherwise; and parts of a list
# inside of a row.
MOST_ROWS = 100
MOST_ROWS_OF = {
    "alarms": 40,
    "circumstances": 150,
    "glossary": 300,
    "items": 600,
    "limits": 200,
    "modifiers": 300,
    "references": 200,
    "rolls": 150,
    "spends": 150,
    "states": 60,
    "tables": 200,
    "tracks": 40,
    "traits": 300,
}
MOST_INSIDE = 200
# A number, above or below nothing.
MOST_NUMBER = 100_000
# Faces of dice that are thrown together: all of their totals are worked out.
MOST_FACES = 200
# Rolls on tables that rows of tables lead to.
MOST_ROLLS_ON = 100
# Items that everybody has.
MOST_INNATE = 20
# Limits of an overlay: bytes, values, changes, whole dice tables, rolls on tables.
BIGGEST_VARIANT = 200_000
MOST_VARIANT_VALUES = 12_000
MOST_CHANGES = 500
MOST_NEW_TABLES = 30
MOST_NEW_ROLLS_ON = 60
# Limits of the process that reads and tries one out: units of work, seconds of the processor,
# and bytes of memory beyond what it has before.
CHECK_WORK = 2_000_000
CHECK_SECONDS = 5
CHECK_MEMORY = 256 << 20
