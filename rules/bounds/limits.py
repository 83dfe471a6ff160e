"""All limits of what a rulebook may cost, whoever wrote it.

``docs/rulebook-limits.md`` says them in words. Those of steps, expressions and work hold for every
rulebook; those of a stranger's are three times and more what the shipped ones need.
"""

from __future__ import annotations

# Steps of a procedure or roll, once all that it uses is put in; and of all rolls together.
MOST_STEPS = 2_000
MOST_STEPS_TOGETHER = 10_000
# Characters of an expression, and how deep its parts are nested.
LONGEST_EXPRESSION = 1_000
DEEPEST_EXPRESSION = 30
# Units of work (``rules.bounds.work``): for one roll's odds, or for throwing it once; for all
# that one request asks for.
ROLL_WORK = 1_000_000
REQUEST_WORK = 1_500_000
