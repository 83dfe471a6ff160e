"""Messages to the channels of a campaign: Discord, or any server that takes webhooks."""
