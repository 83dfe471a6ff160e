"""What every page needs besides its own content."""

from django.conf import settings
from django.http import HttpRequest

from accounts.http import site_url


def site(request: HttpRequest) -> dict[str, object]:
    """Give templates the site's name and the address to put into links that leave the site."""
    return {"site_name": settings.SITE_NAME, "site_url": site_url(request)}
