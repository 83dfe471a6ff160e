"""The site's settings for its tests: nothing of this machine, nothing slow, nothing sent."""

import atexit
import os
import shutil
import tempfile

os.environ["SECRET_KEY"] = "a-key-for-the-tests-only-" + "x" * 40
# A folder of its own for every run, so that two runs at once do not share a database.
os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="skirmish-tests-")
atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)
for name in (
    "DEBUG",
    "SITE_URL",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "EMAIL_HOST",
    "S3_BUCKET",
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
# Jobs are done before the page is answered, and nothing happens between two tests.
JOBS_IN_THREADS = False
PERIODIC_JOBS = False
STORAGES = STORAGES | {  # noqa: F405
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Static files come from their sources: nothing needs to be collected for a test.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
# The machine may be slow: a test waits for its print.
PRINT_PATIENCE = 60
# A file, not memory: races between threads need a database that several connections share.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": os.path.join(os.environ["DATA_DIR"], "test.sqlite3")}  # noqa: F405
# Before anything compresses it: what the Nu HTML checker is shown.
if os.environ.get("KEPT_HTML"):
    MIDDLEWARE = [*MIDDLEWARE, "tests.kept_html.recorder"]  # noqa: F405
