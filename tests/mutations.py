"""Random changes to messages, for tests of what codecs refuse."""
from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message


def places(message: Message) -> Iterator[tuple[Message, FieldDescriptor]]:
    """Every field of a message and of the messages in it."""
    for field in message.DESCRIPTOR.fields:
        yield message, field
        if field.message_type is not None:
            value = getattr(message, field.name)
            for part in value if field.is_repeated else [value]:
                yield from places(part)


def number_near(old: int, dice: random.Random, field: FieldDescriptor) -> int:
    """Return some number for a field, often near the old one."""
    if field.type == FieldDescriptor.TYPE_SINT32:
        return dice.choice([-(2**31), -40, -2, -1, 0, 1, 2, 40, old - 1, old + 1, 2**31 - 1])
    most = 2**32 - 1 if field.enum_type is None else 2**31 - 1
    return dice.choice([0, 1, 2, 3, 4, 5, 7, 12, 99, 200, max(0, old - 1), old + 1, most])


def mutate(message: Message, dice: random.Random, texts: Sequence[str]) -> None:
    """Change one random field; `texts` are what a text may become."""
    owner, field = dice.choice(list(places(message)))
    if field.is_repeated:
        values = getattr(owner, field.name)
        if len(values) and dice.random() < 0.4:
            values.pop(dice.randrange(len(values)))
        elif len(values) >= 2 and dice.random() < 0.5:
            a, b = sorted(dice.sample(range(len(values)), 2))
            both = [values[a], values[b]]
            if field.message_type is not None:
                both = [type(part).FromString(part.SerializeToString()) for part in both]
                values[a].CopyFrom(both[1])
                values[b].CopyFrom(both[0])
            else:
                values[a], values[b] = both[1], both[0]
        elif field.message_type is not None:
            values.add()
            if len(values) > 1:
                values[-1].CopyFrom(dice.choice(values[:-1]))
        elif field.type == FieldDescriptor.TYPE_STRING:
            values.append(dice.choice(texts))
        elif len(values) and dice.random() < 0.5:
            values[dice.randrange(len(values))] = number_near(values[0], dice, field)
        else:
            values.append(number_near(0, dice, field))
    elif field.message_type is not None:
        owner.ClearField(field.name)
    elif field.type == FieldDescriptor.TYPE_BOOL:
        setattr(owner, field.name, not getattr(owner, field.name))
    elif field.type == FieldDescriptor.TYPE_STRING:
        setattr(owner, field.name, dice.choice(texts))
    elif field.has_presence and dice.random() < 0.3:
        owner.ClearField(field.name)
    else:
        setattr(owner, field.name, number_near(getattr(owner, field.name), dice, field))
