"""Which request the work of this thread belongs to, as the log names it."""

from __future__ import annotations

from contextvars import ContextVar

# Set while a request is answered, and while a job is carried out that it has asked for.
origin: ContextVar[str] = ContextVar("origin", default="")
