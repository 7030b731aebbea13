"""The start-up of a server in the order of time, and who pays for what."""
