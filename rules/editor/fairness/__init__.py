"""Whether prices are fair: simulated fights of the game that is written, and their page."""
