"""Errors that the hardware scripts report without a stack trace."""


class HardwareError(Exception):
    """A missing tool, library or block, or invalid input; the message states what would be valid."""
