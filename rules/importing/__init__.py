"""Games made from the catalogues of army builders: the upload, the questions and the preview."""
