"""All limits on the work and size of rulebooks.

``docs/rulebook-limits.md`` explains them. Limits on steps, expressions and work are for every
rulebook; limits on sizes and rows are for rulebooks of strangers (variants, and files from other
sites). They are several times what the shipped rulebooks need, because a game that is imported from
catalogues has a rank for every unit and a limit for every constraint.
"""

from __future__ import annotations

# Of every rulebook.

# Steps of a procedure or roll, with all that it uses; and of all rolls together.
MOST_STEPS = 2_000
MOST_STEPS_TOGETHER = 10_000
# Characters of an expression, and how deep its parts are nested.
LONGEST_EXPRESSION = 1_000
DEEPEST_EXPRESSION = 30
# Units of work (``rules.bounds.work``): for the odds of one roll, or for throwing it once; for a
# whole request.
ROLL_WORK = 1_000_000
REQUEST_WORK = 1_500_000
# For a table in progress, and in addition for each of its taps.
TABLE_WORK = 200_000
TAP_WORK = 600
# States of a roll that are followed side by side.
MOST_STATES = 20_000
# Results of one kind that a process keeps; and letters of expressions that it keeps parsed.
MOST_KEPT = 100_000
MOST_LETTERS_KEPT = 400_000

# Of a stranger's rulebook.

# Bytes of its text, depth of nesting, and number of values.
BIGGEST_TEXT = 800_000
DEEPEST_TEXT = 20
MOST_VALUES = 80_000
# Versions that come with one file: their number, their bytes, and the seconds to read them.
MOST_VERSIONS = 40
BIGGEST_TOGETHER = 2_400_000
LONGEST_TOGETHER = 10
# Rows of a table of the rulebook, unless it is in the list below; and parts of a list inside a row.
MOST_ROWS = 100
MOST_ROWS_OF = {
    "alarms": 40,
    "cautions": 40,
    "circumstances": 150,
    "glossary": 300,
    "items": 600,
    "limits": 400,
    "modifiers": 300,
    "offers": 300,
    "ranks": 300,
    "references": 200,
    "rolls": 150,
    "spends": 150,
    "states": 60,
    "tables": 200,
    "tags": 400,
    "tracks": 40,
    "traits": 300,
}
MOST_INSIDE = 300
# The absolute value of a number.
MOST_NUMBER = 100_000
# Faces of dice that are thrown together, since all of their totals are worked out.
MOST_FACES = 200
# Rolls on tables that rows of tables lead to.
MOST_ROLLS_ON = 100
# Items that everybody has.
MOST_INNATE = 20
# Limits of an overlay: bytes, values, changes, whole dice tables, rolls on tables.
BIGGEST_VARIANT = 400_000
MOST_VARIANT_VALUES = 32_000
MOST_CHANGES = 1_000
MOST_NEW_TABLES = 30
MOST_NEW_ROLLS_ON = 60
# Limits of the process that reads and tries out a rulebook: units of work, seconds of the
# processor, and bytes of additional memory.
CHECK_WORK = 2_000_000
CHECK_SECONDS = 5
CHECK_MEMORY = 256 << 20
