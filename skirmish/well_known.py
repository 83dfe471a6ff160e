"""What programs ask a site at addresses that are the same everywhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.http import site_url
from guide.chapters import guide
from rules.library import newest_books

# Nothing of these is for search engines. What is shared by link says so itself ("noindex"): who is
# kept from reading it would neither learn that nor see what the link leads to.
CLOSED = ("/accounts/", "/administration/", "/report/", "/*.pdf")
# RFC 9116: what is older than this should not be trusted, and less than a year is recommended.
GOOD_FOR = timedelta(days=180)


@login_not_required
@require_safe
@cache_control(max_age=24 * 3600, public=True)
def robots(request: HttpRequest) -> HttpResponse:
    """What search engines leave alone, and where they find what there is."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in CLOSED), ""]
    lines.append(f"Sitemap: {site_url(request)}{reverse('sitemap')}")
    return _text(lines)


@login_not_required
@require_safe
@cache_control(max_age=24 * 3600, public=True)
def sitemap(request: HttpRequest) -> HttpResponse:
    """The pages that are for everybody: the front page, each game's rules, and where a gang for it
    is built; the guide, whose chapters have one address in all languages."""
    slugs = [book.slug for _version, book in newest_books()]
    paths = [reverse("gangs:front"), reverse("rules:books")]
    paths += [reverse(name, args=[slug]) for slug in slugs for name in ("rules:book", "gangs:new")]
    paths += [reverse("guide:contents")]
    paths += [chapter.get_absolute_url() for chapter in guide(settings.LANGUAGE_CODE).chapters]
    site = site_url(request)
    urls = "".join(f"<url><loc>{site}{path}</loc></url>" for path in paths)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return HttpResponse(
        f'<?xml version="1.0" encoding="utf-8"?><urlset xmlns="{namespace}">{urls}</urlset>',
        content_type="application/xml",
    )


@login_not_required
@require_safe
@cache_control(max_age=24 * 3600, public=True)
def touch_icon(request: HttpRequest) -> HttpResponse:
    """Send phones that ask at the root to the icon."""
    return HttpResponseRedirect(static("apple-touch-icon.png"))


@login_not_required
@require_safe
def change_password(request: HttpRequest) -> HttpResponse:
    """Where password managers lead whoever wants another password."""
    return HttpResponseRedirect(reverse("account_change_password"))


@login_not_required
@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """Whom to tell of a hole in the site's safety (RFC 9116), if the site names somebody."""
    contact: str = settings.SECURITY_CONTACT
    if not contact:
        raise Http404
    # The same all day, so that it can be kept.
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    here = f"{site_url(request)}{reverse('security')}"
    return _text(
        [
            f"Contact: {contact if ':' in contact else f'mailto:{contact}'}",
            f"Expires: {(today + GOOD_FOR).isoformat().replace('+00:00', 'Z')}",
            f"Preferred-Languages: {', '.join(code for code, _name in settings.LANGUAGES)}",
            f"Canonical: {here}",
        ]
    )


def _text(lines: list[str]) -> HttpResponse:
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")
