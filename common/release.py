"""Which release of the product this is."""

from __future__ import annotations

import tomllib
from functools import cache

from django.conf import settings


@cache
def release() -> str:
    """The version that ``pyproject.toml`` states, such as ``1.2.0``."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text("utf-8"))
    return str(project["project"]["version"])
