"""Addresses of the devices that show notices."""

from django.urls import path

from outbound.push import views

urlpatterns = [
    path("", views.subscribe, name="push-subscribe"),
    path("renew/", views.renew, name="push-renew"),
    path("<int:device>/topics/", views.choose, name="push-choose"),
    path("<int:device>/test/", views.test, name="push-test"),
    path("<int:device>/remove/", views.remove, name="push-remove"),
]
