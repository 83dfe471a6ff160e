"""Messages to other servers, at addresses that people typed or browsers chose."""
