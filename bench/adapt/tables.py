"""Small tables as people have them: skewed numbers, some categories, missing values, noise."""
import math
import random

import teachers

LETTERS = "abcdefghijklmnop"


class Table:
    """`skewed` numbers of long tails, `plain` ones, categories with so many words each, and a share of missing fields."""

    def __init__(self, name, skewed, plain, categories, missing):
        stream = random.Random(f"table {name}")
        self.skewed, self.plain, self.categories, self.missing = skewed, plain, categories, missing
        self.weights = [stream.gauss(0, 1) for _ in range(skewed + plain)]
        self.effects = [[stream.gauss(0, 0.8) for _ in range(words)] for words in categories]
        numbers = range(skewed + plain)
        self.pairs = [(stream.sample(numbers, 2), stream.gauss(0, 0.8)) for _ in range(3)]

    def names(self):
        return [f"n{i}" for i in range(self.skewed + self.plain)] + [f"w{i}" for i in range(len(self.categories))] + ["answer"]

    def drawn(self, stream):
        """(fields, signal), the signal with a deviation of about 1."""
        hidden = teachers.gauss_row(stream, self.skewed + self.plain)
        # Uneven categories: the first word is the most frequent one.
        words = [min(int(stream.expovariate(2.5 / count)), count - 1) for count in self.categories]
        signal = sum(math.tanh(v) * w for v, w in zip(hidden, self.weights))
        signal += sum(effects[word] for effects, word in zip(self.effects, words))
        signal += sum(w * min(hidden[a], hidden[b]) for (a, b), w in self.pairs)
        numbers = [math.exp(v * 1.2) for v in hidden[:self.skewed]] + hidden[self.skewed:]
        fields = [None if stream.random() < self.missing else v for v in numbers] + [LETTERS[word] for word in words]
        return fields, signal / math.sqrt(len(hidden) * 0.4 + len(words) * 0.5 + 1.3)


def numbers(name, skewed, plain, categories, missing, noise):
    one = Table(name, skewed, plain, categories, missing)

    def draw(stream):
        fields, signal = one.drawn(stream)
        return fields, signal + noise * stream.gauss(0, 1)
    return one.names(), draw


def classes(name, skewed, plain, categories, missing, noise):
    one = Table(name, skewed, plain, categories, missing)

    def draw(stream):
        fields, signal = one.drawn(stream)
        return fields, "yes" if signal + noise * stream.gauss(0, 1) > 0 else "no"
    return one.names(), draw
