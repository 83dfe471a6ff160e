"""What is printed of a campaign: its order, its markup, and the job that the press gets."""
