"""What every page needs besides its own content."""

from django.conf import settings
from django.http import HttpRequest

from accounts.http import site_url
from accounts.theme import theme_of


def site(request: HttpRequest) -> dict[str, object]:
    """Give templates the site's name, the address to put into links that leave the site, who may
    sign up, and whether it is day or night."""
    return {
        "site_name": settings.SITE_NAME,
        "site_url": site_url(request),
        "sign_up": settings.SIGNUP,
        "theme": theme_of(request),
    }
