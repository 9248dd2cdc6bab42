"""Errors that the hardware scripts report without a stack trace."""


class HardwareError(Exception):
    """A missing tool, library or block, or input that cannot be understood; the message says what would be right."""
