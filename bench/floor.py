"""The floor: a minimal Django project, and so the lowest cost that such pages can have.

``write(folder)`` writes its files; ``python manage.py seed`` in that folder makes the database and
prints what to request. It has the usual seven middlewares, a signed-in user, forty gangs of ten
members with three items, and these pages:

    /hello              no database, no template
    /gang/<id>          a gang to read: three queries, two included templates
    /gang-fat/<id>      the same with its owner's menus: 14 links a member, 4 an item
    /campaign/<id>      eight gangs and the latest events
    /gang/<id>/add      a change: one more member, and the rating
"""

from __future__ import annotations

from pathlib import Path

SETTINGS = """
import pathlib
BASE = pathlib.Path(__file__).resolve().parent.parent
SECRET_KEY = "floor-" * 12
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "floor.urls"
WSGI_APPLICATION = "floor.wsgi.application"
USE_I18N = False
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth",
                  "django.contrib.sessions", "django.contrib.messages", "floor"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "DIRS": [BASE / "templates"],
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.request",
        "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages"]},
}]
DATABASES = {"default": {
    "ENGINE": "django.db.backends.sqlite3", "NAME": str(BASE / "floor.sqlite3"),
    "CONN_MAX_AGE": None,
    "OPTIONS": {"timeout": 10, "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"}}}
"""

MANAGE = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "floor.settings"
from django.core.management import execute_from_command_line
execute_from_command_line(sys.argv)
"""

WSGI = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "floor.settings"
from django.core.wsgi import get_wsgi_application
application = get_wsgi_application()
"""

MODELS = """
from django.db import models

class Campaign(models.Model):
    name = models.CharField(max_length=80)

class Gang(models.Model):
    name = models.CharField(max_length=80)
    campaign = models.ForeignKey(Campaign, models.SET_NULL, null=True)
    credits = models.IntegerField(default=1000)
    rating = models.IntegerField(default=0)
    notes = models.TextField(blank=True)

class Kind(models.Model):
    name = models.CharField(max_length=80)
    cost = models.IntegerField()
    cells = models.CharField(max_length=200)

class Member(models.Model):
    gang = models.ForeignKey(Gang, models.CASCADE, related_name="members")
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=80)
    cost = models.IntegerField()
    xp = models.IntegerField(default=0)
    stats = models.CharField(max_length=80)
    skills = models.CharField(max_length=200)
    notes = models.TextField(blank=True)

class Item(models.Model):
    member = models.ForeignKey(Member, models.CASCADE, related_name="items")
    kind = models.ForeignKey(Kind, models.PROTECT)
"""

VIEWS = """
from django.db import transaction
from django.db.models import Count, F, Prefetch
from django.http import HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from floor.models import Campaign, Gang, Item, Member

HEADS = "M WS BS S T W I A Ld Cl Wil Int".split()
ITEMS = Prefetch("items", Item.objects.select_related("kind").order_by("id"))
MEMBER_ACTS = ("edit stats skills advance injury weapons gear notes image clone sell dead retire "
               "delete").split()
ITEM_ACTS = "sell reassign upgrade delete".split()

def hello(request, **kwargs):
    return HttpResponse("hello")

def load(pk):
    gang = Gang.objects.select_related("campaign").get(pk=pk)
    members = list(gang.members.order_by("id").prefetch_related(ITEMS))
    for member in members:
        member.values = member.stats.split()
        member.rows = list(member.items.all())
        for row in member.rows:
            row.cells = row.kind.cells.split()
    return {"gang": gang, "members": members, "heads": HEADS}

def gang(request, pk):
    return render(request, "gang.html", load(pk))

def gang_fat(request, pk):
    acts = {"member_acts": MEMBER_ACTS, "item_acts": ITEM_ACTS}
    return render(request, "gang_fat.html", load(pk) | acts)

def campaign(request, pk):
    found = Campaign.objects.get(pk=pk)
    gangs = list(found.gang_set.annotate(size=Count("members")).order_by("-rating"))
    newest = Member.objects.filter(gang__campaign_id=pk).select_related("gang").order_by("-id")
    context = {"campaign": found, "gangs": gangs, "feed": list(newest[:10])}
    return render(request, "campaign.html", context)

def add(request, pk):
    if not request.user.is_authenticated:
        return HttpResponseForbidden()
    with transaction.atomic():
        gang = Gang.objects.get(pk=pk)
        Member.objects.create(gang=gang, name=request.POST["name"], kind="Ganger", cost=50,
                              stats="5 4 4 3 3 1 4 1 7 7 7 7")
        changed = {"rating": F("rating") + 50, "credits": F("credits") - 50}
        Gang.objects.filter(pk=pk).update(**changed)
    return HttpResponseRedirect(reverse("gang", args=[pk]))
"""

URLS = """
from django.urls import path
from floor import views
urlpatterns = [
    path("hello", views.hello),
    path("gang/<int:pk>", views.gang, name="gang"),
    path("gang-fat/<int:pk>", views.gang_fat),
    path("gang/<int:pk>/member/<int:member>/<slug:act>", views.hello, name="member-act"),
    path("gang/<int:pk>/member/<int:member>/item/<int:item>/<slug:act>", views.hello,
         name="item-act"),
    path("gang/<int:pk>/add", views.add),
    path("campaign/<int:pk>", views.campaign),
]
"""

SEED = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import BaseCommand, call_command
from floor.models import Campaign, Gang, Item, Kind, Member

class Command(BaseCommand):
    def handle(self, **options):
        call_command("migrate", run_syncdb=True, verbosity=0)
        from django.contrib.auth.models import User
        user = User.objects.create(username="bench", password="!")
        kinds = [Kind.objects.create(name=f"Weapon {i}", cost=10 + i,
                                     cells="8 24 +1 - 3 -1 1 4+ Rapid-Fire") for i in range(40)]
        campaign = Campaign.objects.create(name="Bench campaign")
        for i in range(40):
            gang = Gang.objects.create(name=f"Gang {i}", rating=1200 + i,
                                       campaign=campaign if i < 8 else None)
            for j in range(10):
                member = Member.objects.create(
                    gang=gang, name=f"Fighter {i}.{j}", kind="Ganger", cost=50 + j, xp=j,
                    stats="5 4 4 3 3 1 4 1 7 7 7 7", skills="Nerves of Steel, Dodge",
                    notes="Scarred at the pit.")
                for k in range(3):
                    Item.objects.create(member=member, kind=kinds[(i + j * 3 + k) % 40])
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        self.stdout.write(json.dumps({
            "session": session.session_key, "gang": Gang.objects.first().pk,
            "targets": list(Gang.objects.values_list("pk", flat=True)[10:]),
            "campaign": campaign.pk}))
"""

BASE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{% block title %}{% endblock %}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/app.css"><script src="/static/htmx.js" defer></script></head>
<body><nav><a href="/">Home</a><a href="/gangs">Gangs</a><a href="/campaigns">Campaigns</a>
{% if user.is_authenticated %}<span>{{ user.username }}</span>{% endif %}</nav>
<main>{% block main %}{% endblock %}</main><footer>Floor</footer></body></html>
"""

GANG = """{% extends "base.html" %}{% block title %}{{ gang.name }}{% endblock %}{% block main %}
<header><h1>{{ gang.name }}</h1><dl><dt>Campaign</dt><dd>{{ gang.campaign.name }}</dd>
<dt>Credits</dt><dd>{{ gang.credits }}</dd><dt>Rating</dt><dd>{{ gang.rating }}</dd></dl>
<p>{{ gang.notes }}</p></header>
<section>{% for x in members %}{% include "_member.html" %}{% endfor %}</section>{% endblock %}
"""

MEMBER = """<article class="card"><h2>{{ x.name }} <small>{{ x.kind }}</small>
<span class="cost">{{ x.cost }}</span></h2><table class="stats"><thead><tr>{% for head in heads %}
<th>{{ head }}</th>{% endfor %}</tr></thead><tbody><tr>{% for value in x.values %}
<td>{{ value }}</td>{% endfor %}</tr></tbody></table><p class="skills">{{ x.skills }}</p>
<table class="weapons"><tbody>{% for r in x.rows %}{% include "_item.html" %}{% endfor %}</tbody>
</table><p class="notes">{{ x.notes }}</p><p>XP {{ x.xp }}</p></article>
"""

ITEM = """<tr><th>{{ r.kind.name }} <small>{{ r.kind.cost }}</small></th>{% for cell in r.cells %}
<td>{{ cell }}</td>{% endfor %}</tr>
"""

ITEM_MENU = """<td><ul class="menu">{% for act in item_acts %}<li><a class="dropdown-item"
href="{% url 'item-act' gang.pk x.pk r.pk act %}">{{ act }}</a></li>{% endfor %}</ul></td></tr>"""

MEMBER_MENU = """<ul class="menu">{% for act in member_acts %}<li><a class="dropdown-item"
href="{% url 'member-act' gang.pk x.pk act %}" hx-get="{% url 'member-act' gang.pk x.pk act %}"
hx-target="#dialog">{{ act }}</a></li>{% endfor %}</ul></article>"""

CAMPAIGN = """{% extends "base.html" %}{% block title %}{{ campaign.name }}{% endblock %}
{% block main %}<h1>{{ campaign.name }}</h1><table><tbody>{% for gang in gangs %}<tr>
<td><a href="{% url 'gang' gang.pk %}">{{ gang.name }}</a></td><td>{{ gang.rating }}</td>
<td>{{ gang.credits }}</td><td>{{ gang.size }}</td></tr>{% endfor %}</tbody></table>
<ul>{% for member in feed %}<li>{{ member.gang.name }} hired {{ member.name }}</li>{% endfor %}</ul>
{% endblock %}
"""


def write(folder: Path) -> None:
    """Write the project's files to ``folder``."""
    fat = MEMBER.replace('{% include "_item.html" %}', ITEM.replace("</tr>", ITEM_MENU))
    files = {
        "manage.py": MANAGE,
        "floor/__init__.py": "",
        "floor/settings.py": SETTINGS,
        "floor/wsgi.py": WSGI,
        "floor/models.py": MODELS,
        "floor/views.py": VIEWS,
        "floor/urls.py": URLS,
        "floor/management/__init__.py": "",
        "floor/management/commands/__init__.py": "",
        "floor/management/commands/seed.py": SEED,
        "templates/base.html": BASE,
        "templates/gang.html": GANG,
        "templates/_member.html": MEMBER,
        "templates/_item.html": ITEM,
        "templates/gang_fat.html": GANG.replace(
            '{% include "_member.html" %}', fat.replace("</article>", MEMBER_MENU)
        ),
        "templates/campaign.html": CAMPAIGN,
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.lstrip("\n"))
