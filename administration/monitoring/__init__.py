"""What other programs are told of the site: whether it is ready, and its figures."""
