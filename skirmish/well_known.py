"""Well-known addresses: robots.txt, the sitemap, security.txt and others."""

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
from rules.library import offered_books

# Search engines must not read these. Shared pages say "noindex" themselves: a crawler kept out by
# robots.txt would never see that, and could list the link.
CLOSED = ("/accounts/", "/administration/", "/report/", "/*.pdf", "/*.zip")
# RFC 9116 recommends that the file expires in less than a year.
GOOD_FOR = timedelta(days=180)


@login_not_required
@require_safe
@cache_control(max_age=24 * 3600, public=True)
def robots(request: HttpRequest) -> HttpResponse:
    """Tell search engines which paths to avoid and where the sitemap is."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in CLOSED), ""]
    lines.append(f"Sitemap: {site_url(request)}{reverse('sitemap')}")
    return _text(lines)


@login_not_required
@require_safe
@cache_control(max_age=24 * 3600, public=True)
def sitemap(request: HttpRequest) -> HttpResponse:
    """List the public pages: the front page, each game's rules and founding page, the guide.

    A guide chapter has the same address in all languages.
    """
    slugs = [book.slug for _version, book in offered_books()]
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
    """Redirect phones that ask at the root to the icon."""
    return HttpResponseRedirect(static("apple-touch-icon.png"))


@login_not_required
@require_safe
def change_password(request: HttpRequest) -> HttpResponse:
    """Redirect password managers to the page for changing a password."""
    return HttpResponseRedirect(reverse("account_change_password"))


@login_not_required
@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """Return security.txt (RFC 9116). Raises Http404 if the site names no contact."""
    contact: str = settings.SECURITY_CONTACT
    if not contact:
        raise Http404
    # Use midnight, so that the file stays the same all day and can be cached.
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
