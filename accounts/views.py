"""The language switch."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import check_for_language
from django.views import i18n
from django.views.decorators.http import require_POST

from accounts.models import User


@login_not_required
@require_POST
def set_language(request: HttpRequest) -> HttpResponseBase:
    """Switch the language, return to the same page, and remember it with the account."""
    code = request.POST.get("language", "")
    choices = dict(User._meta.get_field("language").choices or ())
    if request.user.is_authenticated and code in choices and check_for_language(code):
        request.user.language = code
        request.user.save(update_fields=["language"])
    return i18n.set_language(request)
