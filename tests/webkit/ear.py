"""A middleware that hears a page's complaints in its console, which WebDriver cannot: a script of
the tests comes first on every page and writes them down.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

ADDRESS = "/ear.js"
SCRIPT = """
const hear = (said) => sessionStorage.setItem(
    "heard", `${sessionStorage.getItem("heard") ?? ""}${location.pathname}: ${said}\\n`);
addEventListener("error", ({ message, target }) =>
    hear(message ?? `not loaded: ${target.src ?? target.href}`), true);
addEventListener("unhandledrejection", ({ reason }) => hear(reason));
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    hear(`${violatedDirective}: ${blockedURI}`));
for (const kind of ["error", "warn"]) console[kind] = (...said) => hear(said.join(" "));
"""


def ear(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """The site's last middleware."""

    def listening(request: HttpRequest) -> HttpResponse:
        if request.path == ADDRESS:
            return HttpResponse(SCRIPT, content_type="text/javascript")
        response = answer(request)
        if not response.streaming and response.get("Content-Type", "").startswith("text/html"):
            script = f'<head><script src="{ADDRESS}"></script>'.encode()
            response.content = response.content.replace(b"<head>", script, 1)
        return response

    return listening
