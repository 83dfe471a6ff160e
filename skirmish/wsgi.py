"""The WSGI application: `gunicorn skirmish.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "skirmish.settings")

application = get_wsgi_application()
