"""How gunicorn serves the site; it finds this file by itself where it is started.

What the command line or GUNICORN_CMD_ARGS say wins. ``WORKERS`` and ``THREADS``: processes, and
changes and prints that each answers at once; one more thread is kept for reading.
"""

import os

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

wsgi_app = "skirmish.wsgi"
worker_class = "skirmish.worker.PatientWorker"
workers = int(os.environ.get("WORKERS") or 2)
threads = int(os.environ.get("THREADS") or 4)
# Seconds that a browser's, or a proxy's, connection is kept for its next request.
keepalive = 15
# Seconds that a worker may go without a sign of life, and that its last requests have when it ends.
timeout = 60
graceful_timeout = 30
# A worker ends after so many requests, so that none grows for long; a new one is a fork.
max_requests = 3000
max_requests_jitter = 300
# The application is loaded before its workers are made: they share the memory that it takes.
preload_app = os.environ.get("DEBUG", "").lower() not in {"1", "true", "yes", "on"}
reload = not preload_app
loglevel = "warning"
control_socket_disable = True


def when_ready(server: Arbiter) -> None:
    """Load what all workers need, and start the press that they share."""
    if preload_app:
        from printing.queue import open_presses
        from skirmish.allocator import hold_back
        from skirmish.preloading import preload

        hold_back()
        preload()
        open_presses()


def pre_fork(server: Arbiter, worker: Worker) -> None:
    """Choose where the worker counts: where none of the others does."""
    from administration.monitoring.counting import free_row

    worker.row = free_row({other.row for other in server.WORKERS.values()})


def post_fork(server: Arbiter, worker: Worker) -> None:
    """Let it count there."""
    from administration.monitoring.counting import use_row

    use_row(worker.row)
