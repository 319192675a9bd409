"""Writes friedman.csv, the table of experiments/friedman.yaml: made-up rows whose best possible score is known.

usage: friedman.py > friedman.csv
The target is 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5 (J. H. Friedman, Multivariate Adaptive Regression Splines,
Annals of Statistics 19, 1991), 3 more on the site "north", 3 less on "south", and noise of standard deviation 1. x6 to x8 say
nothing. Around that stands what tables have: a number and a day for each row, gaps.
"""
import datetime
import math
import random


def main():
    rng = random.Random(1991)
    print("row,day,site,x1,x2,x3,x4,x5,x6,x7,x8,yield")
    for row in range(1500):
        x = [rng.random() for _ in range(8)]
        site = rng.choice(["north", "south", "west"])
        y = 10 * math.sin(math.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4] + rng.gauss(0, 1)
        y += {"north": 3, "south": -3, "west": 0}[site]
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=rng.randrange(700))
        fields = [f"{value:.4f}" for value in x]
        for gap in (6, 7):
            if rng.random() < 0.05:
                fields[gap] = rng.choice(["NA", ""])
        print(f"{row + 1},{day},{site},{','.join(fields)},{y:.3f}")


if __name__ == "__main__":
    main()
