"""Settings of a served site, in the folder named by DATA_DIR, without the parts that take time."""

from skirmish import worker
from skirmish.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {  # noqa: F405
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
# A slow sender is not disconnected here: an answer proves that nobody had to wait for them.
worker.LONGEST_HEAD = worker.LONGEST_MEGABYTE = 3600
