"""What every answer tells browsers, whoever made it: pages, prints, static files, refusals."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

# What the pages use of a browser's powers: an address is copied at a press, the screen stays on
# while people play. No page asks for the others, so nothing that gets into one may use them either.
USED = {"clipboard-write": "(self)", "screen-wake-lock": "(self)"}
UNUSED = (
    *("accelerometer", "autoplay", "browsing-topics", "camera", "clipboard-read"),
    *("display-capture", "encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope"),
    *("hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment"),
    *("picture-in-picture", "publickey-credentials-create", "publickey-credentials-get"),
    *("serial", "storage-access", "usb", "window-management"),
    *("xr-spatial-tracking",),
)
PERMISSIONS = ", ".join(
    f"{name}={whom}" for name, whom in sorted((USED | dict.fromkeys(UNUSED, "()")).items())
)


def send_policies(get_response: GetResponse) -> GetResponse:
    """Middleware: no page of another site shows ours, and nothing that gets into a page uses what a
    browser can do. Django's SecurityMiddleware sends the rest."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        headers = response.headers
        headers.setdefault("Permissions-Policy", PERMISSIONS)
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response

    return middleware
