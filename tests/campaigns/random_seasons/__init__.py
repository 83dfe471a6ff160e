"""Random seasons: players build, play, quarrel, bargain, correct and change their minds."""
