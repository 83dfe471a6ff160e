"""What is printed of a gang: its order, its markup, and the job that the press gets."""
