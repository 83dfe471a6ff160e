"""How small letters of prints may be, in points. Reference sheets have a floor of their own."""

from __future__ import annotations

# Of texts and of labels, as usual and in large print.
SMALLEST, SMALLEST_LABEL = 7.5, 7.0
LARGE, LARGE_LABEL = 12.0, 10.0
