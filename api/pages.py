"""Pages about the API: its description for programmers, and an account's tokens."""

from __future__ import annotations

from typing import Any

from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts import quotas
from accounts.http import Request, site_url
from accounts.quotas import QuotaFull
from api import tokens
from api.description import describe
from common.forms import INVALID, OK, CrispyForm, NameField, require_safe_or_post


class TokenForm(CrispyForm):
    """A form for a new token."""

    name = NameField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("What will use it, such as “Club website”."),
    )
    writes = forms.BooleanField(
        label=gettext_lazy("It may also write"),
        help_text=gettext_lazy(
            "Answer nights, tap at a table, report and confirm games, and import gangs, as you."
        ),
        required=False,
    )


@login_not_required
@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    """Describe every operation for programmers."""
    context = {"operations": _operations(), "site_url": site_url(request)}
    return render(request, "api/documentation.html", context)


@login_not_required
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """Return the description for programs: OpenAPI."""
    return JsonResponse(describe())


def _operations() -> list[dict[str, Any]]:
    """The operations in order: path, summary, parameters (name, kind), and the names of the body
    and of the answer."""
    found = []
    for path, methods in describe()["paths"].items():
        for method, operation in methods.items():
            responses = operation["responses"]
            answer = responses.get("200") or responses["201"]
            schema = answer["content"]["application/json"]["schema"]
            content = operation.get("requestBody", {}).get("content", {})
            body = content.get("application/json", {}).get("schema", {})
            found.append(
                {
                    "method": method.upper(),
                    "path": path,
                    "text": operation.get("description") or operation["summary"],
                    "parameters": operation.get("parameters", []),
                    "body": body.get("$ref", "").rpartition("/")[2],
                    "answer": schema.get("$ref", "").rpartition("/")[2],
                }
            )
    return found


@require_safe_or_post
def own_tokens(request: Request) -> HttpResponse:
    """List the account's tokens, and make one. A new secret is shown once. A token that may write
    requires the password, unless it was typed a moment ago."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    secret, status = "", OK
    if form.is_bound:
        status = INVALID
        if form.is_valid():
            if form.cleaned_data["writes"]:
                # After the password, the form goes on as it was sent.
                raise_if_reauthentication_required(request, app="api")
            try:
                _token, secret = tokens.make(request.user, **form.cleaned_data)
                form, status = TokenForm(), OK
            except QuotaFull as full:
                form.add_error(None, quotas.describe(full))
    context = {"form": form, "secret": secret, "tokens": request.user.tokens.all()}
    response = render(request, "api/tokens.html", context, status=status)
    # The page with a secret is in no browser's memory.
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def delete_token(request: Request, token_id: int) -> HttpResponse:
    """Delete one of the account's tokens."""
    token = get_object_or_404(request.user.tokens, pk=token_id)
    token.delete()
    messages.success(request, _("The token “%(name)s” no longer works.") % {"name": token.name})
    return redirect("api-pages:tokens")
