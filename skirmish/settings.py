"""All settings, read from the environment. docs/running.md lists the variables.

Safe by default: without any variable the site refuses to start (no SECRET_KEY), and with only
SECRET_KEY and ALLOWED_HOSTS it is ready for production behind HTTPS.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from django.utils.translation import to_language

from skirmish import postgres, release

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = release.read_version(BASE_DIR)
COMMIT = release.read_commit(BASE_DIR)
# Both for people.
RELEASE = release.describe(VERSION, COMMIT)


def envbool(name: str, default: bool) -> bool:
    """Read a switch: 1, true, yes and on mean yes; an empty value means the default."""
    value = os.environ.get(name, "").strip().lower()
    return value in {"1", "true", "yes", "on"} if value else default


def envlist(name: str) -> list[str]:
    """Read a list separated by commas."""
    return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]


# The site

DEBUG = envbool("DEBUG", False)
HTTPS = envbool("HTTPS", not DEBUG)
# The folder for everything the site writes: database, files, cache. Back it up.
DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / "var")

DEVELOPMENT_KEY = "only-for-development-never-on-a-server-that-others-can-reach"
SECRET_KEY = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY and (DATA_DIR / "secret_key").is_file():
    # script/server uses this folder, so typed commands must use the same site.
    SECRET_KEY = (DATA_DIR / "secret_key").read_text("utf-8").strip()
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured(
            "Set SECRET_KEY to a long random text (or DEBUG=1 on your own machine)."
        )
    SECRET_KEY = DEVELOPMENT_KEY

# The key for messages to devices; "" for the one in the data folder (outbound/push/keys.py).
PUSH_KEY = os.environ.get("PUSH_KEY", "")

SITE_NAME = os.environ.get("SITE_NAME") or "Skirmish"
SITE_URL = os.environ.get("SITE_URL", "").rstrip("/")
# The address of the last start, for commands that are typed, or run by cron, without SITE_URL: they
# would name the site's backups and make its links differently. `manage.py prepare` writes it.
SITE_URL_FILE = DATA_DIR / "site_url"
if "SITE_URL" not in os.environ and SITE_URL_FILE.is_file():
    SITE_URL = SITE_URL_FILE.read_text("utf-8").strip()
ALLOWED_HOSTS = envlist("ALLOWED_HOSTS") or [
    host for host in [urlsplit(SITE_URL).hostname, "localhost", "127.0.0.1", "[::1]"] if host
]
# The watch link of a campaign shown to visitors on the front page; "" for none. If unset, the link
# of the demonstration campaign, which `manage.py demo` writes to a file.
DEMO_FILE = DATA_DIR / "demo_campaign"
DEMO_CAMPAIGN = os.environ.get("DEMO_CAMPAIGN", "").strip()
if "DEMO_CAMPAIGN" not in os.environ and DEMO_FILE.is_file():
    DEMO_CAMPAIGN = DEMO_FILE.read_text("ascii").strip()
if DEMO_CAMPAIGN and not DEMO_CAMPAIGN.startswith(("/", "https://", "http://")):
    raise ImproperlyConfigured("DEMO_CAMPAIGN must be a watch link from a campaign's page.")
# A contact for security problems: a mail address or a page; "" for none.
SECURITY_CONTACT = os.environ.get("SECURITY_CONTACT", "").strip()
# A contact for people whose account is blocked, or whose gang is hidden: a mail address or a page.
# Without one they are sent to the imprint.
CONTACT = os.environ.get("CONTACT", "").strip()
if CONTACT and "@" not in CONTACT and not CONTACT.startswith(("https://", "http://")):
    raise ImproperlyConfigured("CONTACT must be a mail address or the address of a page.")
CSRF_TRUSTED_ORIGINS = envlist("CSRF_TRUSTED_ORIGINS")

ROOT_URLCONF = "skirmish.urls"
WSGI_APPLICATION = "skirmish.wsgi.application"

INSTALLED_APPS = [
    "common",
    "accounts",
    "printing",
    "rules",
    "gangs",
    "campaigns",
    "outbound",
    "api",
    "guide",
    "administration",
    # Do not look for other apps' tables: administration/data/ lists the ones to show.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "crispy_forms",
    "crispy_bootstrap5",
    "django_htmx",
    "corsheaders",
]

MIDDLEWARE = [
    "skirmish.logs.log_requests",
    "corsheaders.middleware.CorsMiddleware",
    "skirmish.answers.send_policies",
    "django.middleware.security.SecurityMiddleware",
    "skirmish.incoming.Incoming",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "skirmish.answers.Compression",
    "skirmish.answers.private_pages",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "api.tokens.without_cookies",
    "skirmish.faults.ReadableSessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "api.tokens.with_token",
    "accounts.language.preferred_language",
    "rules.words.store.current_translations",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "skirmish.incoming.LimitedWork",
]

LOADERS = [
    "skirmish.template_loader.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            # Developers see their changes without a restart.
            "loaders": LOADERS if DEBUG else [("django.template.loaders.cached.Loader", LOADERS)],
            "builtins": ["accounts.dates"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "skirmish.context.site",
            ],
        },
    },
]

CRISPY_ALLOWED_TEMPLATE_PACKS = "bootstrap5"
CRISPY_TEMPLATE_PACK = "bootstrap5"

# Storage

DATABASES = {
    "default": dj_database_url.parse(
        os.environ.get("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'skirmish.sqlite3'}",
        conn_max_age=60,
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A write transaction takes its lock when it begins and waits for it. If two transactions began
    # as reads and upgraded later, one would fail with "database is locked".
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        # FULL waits for the disk at every commit, so answered changes survive a power cut.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    if not os.environ.get("DATABASE_URL"):
        DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"] |= postgres.options(
        DATABASES["default"].get("OPTIONS", {}),
        pool=int(os.environ.get("DATABASE_POOL") or 0),
        pgbouncer=envbool("PGBOUNCER", False),
        statement_timeout=float(os.environ.get("STATEMENT_TIMEOUT") or 30),
        lock_timeout=float(os.environ.get("LOCK_TIMEOUT") or 5),
    )

# Limits (on visitors' gangs, wrong codes and so on) are counted in the cache, so all processes on
# all machines must share it: a table of the database, or Redis or Valkey if an address is given.
# Wrong passwords are counted in rows of their own (accounts.authentication.attempts).
CACHE_URL = os.environ.get("CACHE_URL", "").replace("valkey", "redis", 1)
CACHES: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": "common.shared_cache.SharedDatabaseCache",
        "LOCATION": "common_cache",
    }
}
if CACHE_URL:
    CACHES["default"] = {
        "BACKEND": "common.shared_cache.SharedRedisCache",
        "LOCATION": CACHE_URL,
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    }

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT") or BASE_DIR / "staticfiles")
# The guide's pictures are beside its text.
STATICFILES_DIRS = [BASE_DIR / "static", ("guide", BASE_DIR / "docs" / "pictures")]
# Players' pictures and finished prints: two folders of the site's data or, for several machines,
# two parts of a bucket. The bucket's keys are in the variables that all S3 programs read.
S3_BUCKET = os.environ.get("S3_BUCKET", "")
S3_ENDPOINT = os.environ.get("S3_ENDPOINT", "")


def file_store(name: str) -> dict[str, object]:
    """Return the storage for files of one kind."""
    if not S3_BUCKET:
        return {"BACKEND": "common.storages.DataFolder", "OPTIONS": {"folder": name}}
    options = {"bucket": S3_BUCKET, "location": name, "endpoint": S3_ENDPOINT}
    return {"BACKEND": "common.bucket.Bucket", "OPTIONS": options}


STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "pictures": file_store("pictures"),
    "prints": file_store("prints"),
    "previews": file_store("previews"),
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG
            else "skirmish.static_files.HashedFiles"
        )
    },
}

# Where the site keeps a backup of each day, for a number of days: a folder, or a part of a bucket
# as s3://bucket/part; "": the site makes none.
BACKUP_DAILY = os.environ.get("BACKUP_DAILY", "").strip()
BACKUP_DAYS = int(os.environ.get("BACKUP_DAYS") or 14)
if BACKUP_DAILY and not BACKUP_DAILY.startswith(("/", "s3://")):
    raise ImproperlyConfigured("BACKUP_DAILY must be a folder (/…) or a bucket (s3://bucket/part).")
if BACKUP_DAYS < 1:
    raise ImproperlyConfigured("BACKUP_DAYS must be at least 1.")

# People

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backends.NoticedBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Seconds between two looks for changed translations of rulebooks, in each process; 0: none.
TRANSLATIONS_LOOK_EVERY = 10
# Limits for one account, unless an administrator grants it others.
QUOTAS = {
    kind: int(os.environ.get(f"QUOTA_{kind.upper()}") or usual)
    for kind, usual in {
        "gangs": 200,
        "campaigns": 40,
        "pictures": 1000,
        "photos": 1000,
        "variants": 40,
        "drafts": 10,
        "catalogues": 20,
        "translations": 20,
        "imports": 40,
        "tables": 40,
        "tokens": 10,
        "hooks": 20,
        "shelves": 20,
        "foreign_games": 40,
        "shelf_requests": 60,
    }.items()
}
# Rulebooks that every start loads: names of those that come along, and folders. Empty: all of them.
BOOKS = envlist("BOOKS")
# Whether people may take games from the shelves of other sites.
FOREIGN_GAMES = envbool("FOREIGN_GAMES", True)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "tonight"

# Sign-up: open to everybody, only with an invitation link, or closed.
SIGNUP_MODES = ("open", "invitation", "closed")
SIGNUP = os.environ.get("SIGNUP") or "open"
if SIGNUP not in SIGNUP_MODES:
    raise ImproperlyConfigured(f"SIGNUP must be one of {', '.join(SIGNUP_MODES)}.")

ACCOUNT_ADAPTER = "gangs.guests.AdoptingAdapter"
ACCOUNT_FORMS = {
    "login": "accounts.authentication.sign_in.SignInForm",
    "signup": "accounts.authentication.sign_up.SignUpForm",
    "reset_password": "accounts.authentication.sign_in.ForgottenPasswordForm",
    "change_password": "accounts.authentication.passwords.NewPasswordForm",
    "reset_password_from_key": "accounts.authentication.passwords.LinkPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
# The address is optional; without one a password cannot be reset by mail, as the form says.
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SITE_NAME}] "
# Signing up with an address of an existing account does not reveal that account; only the mail to
# that address does.
ACCOUNT_PREVENT_ENUMERATION = "strict"
# Never send mail to an address without an account here.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_RATE_LIMITS = {
    # Sign-in attempts: accounts.authentication.attempts never locks out known devices.
    "login": None,
    # Invitations by mail to campaigns: few, so that nobody can send advertisements.
    "invite": "20/h/user",
    # Gangs of visitors: a whole club may share an address, but nobody may fill the database.
    "found": "30/h/ip,100/d/ip",
    "open_table": "30/h/ip,100/d/ip",
    # Failed codes of shared sheets.
    "share_code": "30/h/ip,100/d/ip",
    # Exports of all of an account's data, which are much work.
    "own_data": "5/h/user",
    # Reports of pages; visitors can send them, too.
    "report": "10/h/ip",
    # Addresses of devices: a new one may belong to a server that delays others' messages.
    "push_subscribe": "20/h/user",
    # Test messages to devices.
    "push_test": "20/h/user",
}
# Requests of one token in a minute, of one watch key from one address, and of all without a valid
# token from one address.
API_REQUESTS_A_MINUTE = int(os.environ.get("API_REQUESTS_A_MINUTE") or 300)

# Pages of other sites may read the HTTP API, where only keys let them in and cookies mean nothing;
# browsers keep them from writing.
CORS_URLS_REGEX = r"^/api/v1/"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ["GET", "HEAD", "OPTIONS"]
CORS_ALLOW_HEADERS = ["accept", "accept-language", "authorization", "if-none-match"]
CORS_EXPOSE_HEADERS = ["etag", "retry-after"]
# The largest number of visitors' gangs; 0 means that founding a gang requires an account.
MOST_GUEST_GANGS_OF_SITE = int(os.environ.get("MOST_GUEST_GANGS_OF_SITE") or 2000)
# Days without a change after which a visitor's gang is deleted.
GUEST_DAYS = int(os.environ.get("GUEST_DAYS") or 7)
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_USERNAME_MIN_LENGTH = 2

# Two-factor authentication is optional: codes from an app. Addresses are optional here, so it does
# not require a confirmed one.
MFA_ADAPTER = "accounts.authentication.two_factor.TwoFactorAdapter"
MFA_FORMS = {
    "authenticate": "accounts.authentication.two_factor.SecondFactorForm",
    "reauthenticate": "accounts.authentication.two_factor.SecondFactorAgainForm",
    "deactivate_totp": "accounts.authentication.two_factor.DeactivateForm",
}
MFA_TOTP_ISSUER = SITE_NAME
MFA_TOTP_TOLERANCE = 1
MFA_ALLOW_UNVERIFIED_EMAIL = True

# Without a server mails reach nobody. Developers see them on the console; on any other site the log
# only names them, since their links are secrets.

DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL") or "skirmish@localhost"
SERVER_EMAIL = DEFAULT_FROM_EMAIL
EMAIL_SECURITY = os.environ.get("EMAIL_SECURITY", "starttls")
MAILERS: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": (
            "django.core.mail.backends.console.EmailBackend"
            if DEBUG
            else "accounts.unsent.UnsentMails"
        )
    }
}
# Whether mail is delivered, so that people can confirm addresses.
MAIL_SERVER = bool(os.environ.get("EMAIL_HOST"))
if MAIL_SERVER:
    MAILERS["default"] = {
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "OPTIONS": {
            "host": os.environ["EMAIL_HOST"],
            "port": int(os.environ.get("EMAIL_PORT") or 587),
            "username": os.environ.get("EMAIL_USER", ""),
            "password": os.environ.get("EMAIL_PASSWORD", ""),
            "use_tls": EMAIL_SECURITY == "starttls",
            "use_ssl": EMAIL_SECURITY == "ssl",
            "timeout": 3,
        },
    }

# Jobs that no page waits for, such as mails: run by threads or, in tests, by the caller.

JOBS_IN_THREADS = True
# Whether processes that answer pages also run periodic jobs (such as cleaning) and waiting jobs.
PERIODIC_JOBS = envbool("PERIODIC_JOBS", True)

# Seconds that a request waits for a print before a page says that the print is being made. Readers
# see a reaction within a second.
PRINT_PATIENCE = 0.7
# Seconds that a request waits for a picture. Programs that show previews of links wait for five to
# ten, and cannot be asked to come back.
PICTURE_PATIENCE = 5

# Languages

LANGUAGE_CODE = "en"
# Catalogues in a folder of the site's own come after ours.
MORE_LANGUAGES = os.environ.get("MORE_LANGUAGES", "")
LOCALE_PATHS = [BASE_DIR / "locale", *([Path(MORE_LANGUAGES)] if MORE_LANGUAGES else [])]
# A catalogue makes a language: each has its own name for itself.
LANGUAGES = [
    (code, LANG_INFO.get(code, {}).get("name_local", code).capitalize())
    for code in (
        LANGUAGE_CODE,
        *sorted(
            {
                to_language(folder.parent.name)
                for path in LOCALE_PATHS
                for folder in path.glob("*/LC_MESSAGES")
            }
        ),
    )
]
# Django fails on languages that it does not know, such as a made-up one.
for _code, _name in LANGUAGES:
    if not {_code, _code.partition("-")[0]} & LANG_INFO.keys():
        LANG_INFO[_code] = {"bidi": False, "code": _code, "name": _name, "name_local": _name}
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = os.environ.get("TIME_ZONE") or "Europe/Paris"

# Security

SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "form-action": [CSP.SELF],
}
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
# Monitoring programs on this machine use plain HTTP and need an answer.
SECURE_REDIRECT_EXEMPT = [r"^(health|ready|metrics)/$"]
SECURE_HSTS_SECONDS = int(os.environ.get("HSTS_SECONDS") or 30 * 24 * 3600) if HTTPS else 0
# Subdomains and browsers' preload lists affect the whole domain, which is not ours to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# The number of reverse proxies in front that set X-Forwarded-For and X-Forwarded-Proto. With 0
# these headers come from the visitor and are ignored.
TRUSTED_PROXIES = int(os.environ.get("TRUSTED_PROXIES") or 0)
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# The largest request body in bytes: a campaign's file and the form fields beside it.

BIGGEST_BODY = 17_000_000
# The form fields without files. The report of a large game has hundreds of fields.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
DATA_UPLOAD_MAX_NUMBER_FILES = 40
# A file up to this size is kept in memory, a larger one in a temporary file.
FILE_UPLOAD_MAX_MEMORY_SIZE = 1_000_000

# Logging

LOG_FORMATS = {"lines": "LineFormatter", "json": "JsonFormatter"}
LOG_FORMAT = os.environ.get("LOG_FORMAT") or "lines"
if LOG_FORMAT not in LOG_FORMATS:
    raise ImproperlyConfigured(f"LOG_FORMAT must be {' or '.join(LOG_FORMATS)}, not {LOG_FORMAT}.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"chosen": {"()": f"skirmish.logs.{LOG_FORMATS[LOG_FORMAT]}"}},
    "filters": {"unexpected": {"()": "skirmish.logs.ExpectedAnswers"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "chosen"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL") or "INFO"},
    "loggers": {
        # Django's and gunicorn's own handlers would log everything twice, or in another format.
        "django": {"handlers": [], "propagate": True},
        "django.request": {"filters": ["unexpected"]},
        "gunicorn.error": {"handlers": [], "propagate": True},
    },
}

# Metrics for Prometheus at /metrics/, for holders of the token or for this machine only.

METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
METRICS = bool(METRICS_TOKEN) or envbool("METRICS", False)
if METRICS:
    MIDDLEWARE.insert(0, "administration.monitoring.counting.count_requests")

# Reporting bugs to a Sentry server.

SENTRY_DSN = os.environ.get("SENTRY_DSN", "")
if SENTRY_DSN:
    from skirmish import sentry

    sentry.start(SENTRY_DSN)
