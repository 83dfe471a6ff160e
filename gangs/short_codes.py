"""Short codes of shared sheets: how they are made, written and read.

Their letters and digits are told apart by ear and by hand: of those that look alike one is in use,
and whoever types another means it.
"""

from __future__ import annotations

import secrets

LETTERS = "0123456789ACDEFGHJKMNPQRTVWXY"
LENGTH = 8
LOOK_ALIKES = str.maketrans("OILZSBU", "011258V")


def short_code() -> str:
    """A code by chance, one of five hundred thousand million: nobody has the same."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def write_code(code: str) -> str:
    """A code as it is shown, in two halves: "K7QM-2XRD"."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def read_code(typed: str) -> str:
    """The code that somebody typed, in whatever letters, with blanks and hyphens anywhere, or at
    the end of an address; "" if it cannot be one."""
    end = typed.rstrip("/ ").rpartition("/")[2]
    code = "".join(filter(str.isalnum, end.upper())).translate(LOOK_ALIKES)
    return code if len(code) == LENGTH and set(code) <= set(LETTERS) else ""
