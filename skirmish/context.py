"""What every page needs besides its own content."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    """Give templates the site's name and the address to put into links that leave the site.

    SITE_URL wins over the request's host, so that a printed code or a shared link stays right
    when the page was opened under another name of the same server.
    """
    address = settings.SITE_URL or f"{request.scheme}://{request.get_host()}"
    return {"site_name": settings.SITE_NAME, "site_url": address}
