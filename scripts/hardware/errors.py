"""Errors that the hardware scripts report without a stack trace."""


class HardwareError(Exception):
    """A missing tool, library or block, or invalid input; the message says what would be valid."""
