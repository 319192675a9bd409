"""Whole numbers and spans of time, as they are meant."""
import operator


def whole(name, value, least=None):
    """`value` as an int. Raises ValueError where it is no whole number, or less than `least`; 2.0 is one."""
    try:
        number = int(value) if getattr(value, "is_integer", bool)() else operator.index(value)
    except (TypeError, ValueError):
        number = None
    if number is None or (least is not None and number < least):
        raise ValueError(f"{name} is {value!r}, expected a whole number" + ("" if least is None else f" from {least} on"))
    return number


def seconds(name, value):
    """Raises ValueError where `value` is no number from 0 on."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not number >= 0:
        raise ValueError(f"{name} is {value!r}, expected seconds from 0 on")
    return number
