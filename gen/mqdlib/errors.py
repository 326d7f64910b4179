"""Errors, with texts for the user."""


class MqdError(Exception):
    """The input is wrong. The text names the file, type and field, and says what to do where that is not obvious."""


class NotAtHand(MqdError):
    """The input is right, but something that is needed is not on this machine. `mqdgen check` skips, all else fails."""
