"""Every sentence the bot says."""
