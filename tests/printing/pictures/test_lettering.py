"""Text in pictures, with our own fonts."""

from __future__ import annotations

import pytest

from printing.pictures.lettering import SANS, SLAB, Family, width


@pytest.mark.parametrize("family", [SANS, SLAB])
def test_arrow_between_two_names_is_drawn_as_a_dash_that_the_fonts_have(family: Family) -> None:
    assert width("Ada → Bob", family, 20) == width("Ada – Bob", family, 20)
