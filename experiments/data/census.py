"""Writes census-1.csv and census-2.csv: made-up people and whether they earn much, as a survey asked them in two years. The
second one has no `relation` and no `serial`, but `city`, `union` and `commute`, and a trade that there was not before.

usage: census.py FOLDER"""
import math
import random
import sys

ROWS = 6000
SCHOOL = {"none": -2, "primary": -1.2, "secondary": -0.3, "vocational": 0.1, "bachelor": 0.9, "master": 1.5, "doctorate": 2}
TRADE = {"care": -0.6, "cleaning": -1.1, "clerk": -0.1, "craft": 0, "farming": -0.8, "sales": 0.2, "management": 1.1, "engineering": 1,
         "teaching": 0.4, "transport": -0.3, "software": 1.4}
RELATION = {"single": -0.6, "married": 0.7, "divorced": -0.3, "widowed": -0.2}
CITY = {"none": -0.4, "small": -0.1, "large": 0.4, "capital": 0.9}


def person(chance, second):
    school = chance.choices(list(SCHOOL), [2, 6, 30, 22, 22, 13, 5])[0]
    trade = chance.choice(list(TRADE)[:-1]) if not second or chance.random() > 0.1 else "software"
    age = min(90, max(17, int(chance.gauss(40, 13))))
    hours = min(90, max(5, round(chance.gauss(40, 11))))
    gain = 0 if chance.random() < 0.9 else int(math.exp(chance.gauss(8, 1)))
    relation, serial = chance.choice(list(RELATION)), chance.randrange(10000, 900000)
    city, union, commute = chance.choice(list(CITY)), chance.random() < 0.3, max(0, chance.gauss(30, 20))
    studied = SCHOOL[school] > 0.5
    sense = (-1.6 + 1.1 * SCHOOL[school] + TRADE[trade] + RELATION[relation] * (1 if age > 30 else 0.2) - ((age - 48) / 16) ** 2
             + 0.05 * (hours - 40) * (1.5 if studied else 1) + (1.6 if gain > 3000 else 0) + CITY[city] * (1 if studied else 0.6)
             + (0.5 if union and TRADE[trade] < 0.3 else 0) + 0.01 * (commute - 30))
    much = chance.random() < 1 / (1 + math.exp(-1.6 * sense))
    row = {"age": age, "school": school, "trade": trade, "hours": "" if chance.random() < 0.03 else hours, "gain": gain}
    if second:
        row |= {"city": city, "union": "yes" if union else "no", "commute": f"{commute:.0f}"}
    else:
        row |= {"relation": relation, "serial": serial}
    return row | {"earns": "much" if much else "little"}


def main():
    for name, second in (("census-1", False), ("census-2", True)):
        chance = random.Random(name)
        rows = [person(chance, second) for _ in range(ROWS)]
        with open(f"{sys.argv[1]}/{name}.csv", "w", encoding="ascii") as file:
            file.write(",".join(rows[0]) + "\n")
            for row in rows:
                file.write(",".join(map(str, row.values())) + "\n")


if __name__ == "__main__":
    main()
