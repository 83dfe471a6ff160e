"""The request that this thread is working for, as the log names it."""

from __future__ import annotations

from contextvars import ContextVar

# Set while a request is answered, and while a job that the request added is carried out.
origin: ContextVar[str] = ContextVar("origin", default="")
