"""The WSGI application: `gunicorn skirmish.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

from skirmish.stack import with_room

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "skirmish.settings")

application = with_room(get_wsgi_application())
