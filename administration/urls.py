"""Addresses of the administrators' pages, and the page for reports."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from administration.acts import views as acts_views
from administration.data.site import browsing
from administration.models import Act
from administration.pages import content as content_views
from administration.pages import rulebooks as rulebooks_views
from administration.pages import views as pages_views
from administration.reports import views as reports_views

app_name = "administration"
ACCOUNT, GANG, CAMPAIGN, REPORT, JOB, RULEBOOK, VARIANT, DRAFT, GAME, NIGHT = (
    {"subject": subject.value} for subject in Act.Subject
)
urlpatterns: list[URLPattern | URLResolver] = [
    path("", pages_views.overview, name="overview"),
    path("accounts/", pages_views.accounts, name="accounts"),
    path("accounts/<int:account>/", pages_views.account, name="account"),
    path("accounts/<int:key>/<slug:kind>/", acts_views.act, ACCOUNT, name="account-act"),
    path("gangs/", pages_views.gangs, name="gangs"),
    path("gangs/<uuid:gang>/", pages_views.gang, name="gang"),
    path("gangs/<uuid:gang>/pictures/<slug:name>.jpg", pages_views.gang_picture, name="picture"),
    path("gangs/<uuid:key>/<slug:kind>/", acts_views.act, GANG, name="gang-act"),
    path("campaigns/", pages_views.campaigns, name="campaigns"),
    path("campaigns/<uuid:campaign>/", pages_views.campaign, name="campaign"),
    path("campaigns/<uuid:key>/<slug:kind>/", acts_views.act, CAMPAIGN, name="campaign-act"),
    path("variants/<uuid:variant>/", content_views.variant, name="variant"),
    path("variants/<uuid:key>/<slug:kind>/", acts_views.act, VARIANT, name="variant-act"),
    path("own-games/<uuid:draft>/", content_views.draft, name="draft"),
    path("own-games/<uuid:key>/<slug:kind>/", acts_views.act, DRAFT, name="draft-act"),
    path("games/<uuid:game>/", content_views.game, name="game"),
    path("games/<uuid:game>/photos/<uuid:photo>.jpg", content_views.photo, name="photo"),
    path("games/<uuid:key>/<slug:kind>/", acts_views.act, GAME, name="game-act"),
    path("nights/<uuid:night>/", content_views.night, name="night"),
    path("nights/<uuid:key>/<slug:kind>/", acts_views.act, NIGHT, name="night-act"),
    path("reports/", reports_views.reports, name="reports"),
    path("reports/<int:report>/", reports_views.report, name="report"),
    path("reports/<int:key>/<slug:kind>/", acts_views.act, REPORT, name="report-act"),
    path("jobs/", pages_views.jobs, name="jobs"),
    path("jobs/<int:job>/", pages_views.job, name="job"),
    path("jobs/<int:key>/<slug:kind>/", acts_views.act, JOB, name="job-act"),
    path("backups/", pages_views.backups, name="backups"),
    path("rulebooks/", rulebooks_views.rulebooks, name="rulebooks"),
    path("upload/", rulebooks_views.upload, name="upload"),
    path("rulebooks/<slug:rulebook>/", rulebooks_views.rulebook, name="rulebook"),
    path("rulebooks/<slug:key>/<slug:kind>/", acts_views.act, RULEBOOK, name="rulebook-act"),
    path("acts/", acts_views.acts, name="acts"),
]
report_urls = [path("<path:page>", reports_views.report_page, name="report-page")]
data_urls = browsing.urls
