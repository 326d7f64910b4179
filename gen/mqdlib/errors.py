"""What can go wrong, as the user reads it."""


class MqdError(Exception):
    """The input is wrong. The text names the file, type and field, and says what to do where that is not obvious."""


class NotAtHand(MqdError):
    """Nothing is wrong, but what the work needs is not on this machine. `mqdgen check` skips, all else fails."""
