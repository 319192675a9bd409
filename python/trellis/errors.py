"""What can go wrong."""


class TrellisError(Exception):
    """A refusal of the program, in its words."""


class StudyOver(TrellisError):
    """There are no more trials: the study reached a limit, or every point of its space was tried."""
