"""Short codes of shared sheets: making, formatting and reading them.

Their letters and digits are easy to distinguish by ear and by hand. Of several that look alike only
one is in use, and the others are read as that one.
"""

from __future__ import annotations

import secrets

LETTERS = "0123456789ACDEFGHJKMNPQRTVWXY"
LENGTH = 8
LOOK_ALIKES = str.maketrans("OILZSBU", "011258V")


def short_code() -> str:
    """Make a random code, one of five hundred thousand million."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def write_code(code: str) -> str:
    """Format a code in two halves: "K7QM-2XRD"."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def read_code(typed: str) -> str:
    """The code in a text typed in: in upper or lower case, with blanks and hyphens anywhere, or at
    the end of an address; "" if it cannot be a code."""
    end = typed.rstrip("/ ").rpartition("/")[2]
    code = "".join(filter(str.isalnum, end.upper())).translate(LOOK_ALIKES)
    return code if len(code) == LENGTH and set(code) <= set(LETTERS) else ""
