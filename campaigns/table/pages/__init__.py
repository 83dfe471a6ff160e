"""A table's pages: as it stands, its story, opening one without a campaign."""
