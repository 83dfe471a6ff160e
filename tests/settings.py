"""The site's settings for its tests: nothing depends on this machine, nothing is slow, nothing is
sent.
"""

import atexit
import os
import shutil
import tempfile

os.environ["SECRET_KEY"] = "a-key-for-the-tests-only-" + "x" * 40
# Each run has its own folder, so that two runs at the same time do not share a database.
os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="skirmish-tests-")
atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)
for name in (
    "DEBUG",
    "SITE_URL",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "EMAIL_HOST",
    "S3_BUCKET",
    "BACKUP_DAILY",
    "LOG_FORMAT",
    "METRICS",
    "METRICS_TOKEN",
    "SENTRY_DSN",
):
    os.environ.pop(name, None)
os.environ["HTTPS"] = "0"

from skirmish.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# Jobs are done before the page is answered; none runs between two tests.
JOBS_IN_THREADS = False
PERIODIC_JOBS = False
# A look is a query, which tests that count queries would count.
TRANSLATIONS_LOOK_EVERY = 0
STORAGES = STORAGES | {  # noqa: F405
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Static files come from their sources: nothing needs to be collected for a test.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
# The machine may be slow, so a test waits for its print.
PRINT_PATIENCE = PICTURE_PATIENCE = 60
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # The machine may be slow, so a test waits for another thread's writing.
    DATABASES["default"]["OPTIONS"] |= {"timeout": 60}  # noqa: F405
    DATABASES["default"]["TEST"] = {  # noqa: F405
        # A file, not memory: in races between threads, several connections share one database.
        "NAME": os.path.join(os.environ["DATA_DIR"], "test.sqlite3"),
        # All migrations take each process six seconds. tests/upgrades proves that they lead to the
        # same tables; and PostgreSQL's tests run on tables that they made.
        "MIGRATE": False,
    }
# Before compression: keeps HTML for the Nu HTML checker.
if os.environ.get("KEPT_HTML"):
    MIDDLEWARE = [*MIDDLEWARE, "tests.kept_html.recorder"]  # noqa: F405
