"""The smallest game there is, on every page: what it has not is offered nowhere."""
