"""All addresses of the site."""

from types import ModuleType
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import URLPattern, include, path, re_path, reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

import campaigns.urls
import gangs.urls
import printing.urls
import rules.urls
from accounts.language import set_abbreviations, set_rulebook_languages
from accounts.theme import set_theme
from accounts.urls import notice_urls, own_account_urls, site_page_urls
from accounts.views import set_language
from administration.monitoring import views as monitoring_views
from administration.urls import data_urls, report_urls
from api.urls import token_urls
from campaigns.club.home import views as home_views
from guide.components import components
from outbound.urls import hook_urls, shelf_urls
from rules.editor import views as editor_views
from skirmish import well_known


@login_not_required
@require_safe
@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """Answer that the process is alive."""
    return HttpResponse("ok", content_type="text/plain")


@login_not_required
@require_safe
@cache_control(max_age=24 * 3600, public=True)
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect browsers that ask at the root to the SVG icon."""
    return HttpResponseRedirect(static("favicon.svg"))


@login_not_required
@require_safe
@cache_control(no_cache=True, public=True)
def offline(request: HttpRequest) -> HttpResponse:
    """Serve the service worker, at the root because it controls only addresses below its own."""
    script = (settings.BASE_DIR / "static" / "offline.js").read_text("utf-8")
    return HttpResponse(script, content_type="text/javascript")


@login_not_required
@require_safe
@cache_control(no_cache=True, public=True)
def no_connection(request: HttpRequest) -> HttpResponse:
    """Return the page that the service worker shows in place of any page without a network."""
    return HttpResponse(render_to_string("offline.html"))


@login_not_required
@require_safe
@cache_control(max_age=24 * 3600, private=True)
def manifest(request: HttpRequest) -> HttpResponse:
    """Return the manifest that lets phones install the site as an app."""
    icons = [
        {"src": static(f"icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"}
        for size in (192, 512)
    ]
    masked = {"src": static("icon-masked.png"), "sizes": "512x512", "type": "image/png"}
    return JsonResponse(
        {
            "id": "/",
            "name": settings.SITE_NAME,
            "short_name": settings.SITE_NAME,
            "description": _("Gangs, campaigns and evenings of tabletop skirmish games."),
            "lang": get_language(),
            "start_url": reverse("tonight"),
            "scope": "/",
            "display": "standalone",
            "background_color": "#f3ead8",
            "theme_color": "#241f19",
            "icons": [*icons, masked | {"purpose": "maskable"}],
        },
        content_type="application/manifest+json",
    )


def with_prints(app: ModuleType, prints: list[URLPattern]) -> tuple[Any, ...]:
    """Return the addresses of an app with those of its prints, in one namespace."""
    return include(([*app.urlpatterns, *prints], app.app_name))


handler400 = "skirmish.faults.bad_request"
handler404 = "skirmish.faults.not_found"
handler429 = "accounts.views.too_many"
handler500 = "skirmish.faults.server_error"

urlpatterns = [
    path("health/", health, name="health"),
    path("ready/", monitoring_views.ready, name="ready"),
    path("metrics/", monitoring_views.figures, name="metrics"),
    path("favicon.ico", favicon, name="favicon"),
    path("apple-touch-icon.png", well_known.touch_icon, name="touch-icon"),
    path("robots.txt", well_known.robots, name="robots"),
    path("sitemap.xml", well_known.sitemap, name="sitemap"),
    path(".well-known/change-password", well_known.change_password, name="change-password"),
    path(".well-known/security.txt", well_known.security, name="security"),
    path("offline.js", offline, name="offline"),
    path("offline/", no_connection, name="no-connection"),
    path("manifest.webmanifest", manifest, name="manifest"),
    path("tonight/", home_views.tonight, name="tonight"),
    path("language/", set_language, name="set_language"),
    path("abbreviations/", set_abbreviations, name="set_abbreviations"),
    path("rulebook-languages/", set_rulebook_languages, name="set_rulebook_languages"),
    path("theme/", set_theme, name="set_theme"),
    path("about/", include(site_page_urls)),
    path("notices/devices/", include("outbound.push.urls")),
    path("notices/", include(notice_urls)),
    path("accounts/", include(own_account_urls)),
    path("accounts/", include("allauth.account.urls")),
    path("administration/data/", data_urls),
    path("accounts/two-factor/", include("allauth.mfa.urls")),
    path("administration/", include("administration.urls")),
    path("report/", include(report_urls)),
    path("api/", include("api.urls")),
    path("accounts/tokens/", include(token_urls)),
    path("help/", include("guide.urls")),
    path("components/", components, name="components"),
    path("campaigns/", include(hook_urls)),
    path("campaigns/", with_prints(campaigns.urls, printing.urls.of_campaigns)),
    path("games/elsewhere/", include(shelf_urls)),
    path("editor/catalogues/", include("rules.importing.urls")),
    path("editor/", include("rules.editor.urls")),
    re_path("^variants/(?P<rest>.*)$", editor_views.moved, name="moved-variants"),
    re_path("^drafts/(?P<rest>.*)$", editor_views.moved, name="moved-drafts"),
    path("", with_prints(rules.urls, printing.urls.of_rules)),
    path("", with_prints(gangs.urls, printing.urls.of_gangs)),
]
