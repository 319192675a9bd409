"""Tables that networks learn from."""


def write_kinds(file, rows, draw):
    """A CSV file with four numbers and a class, one of three, in each row. `draw`: a random.Random."""
    lines = ["a,b,c,d,kind"]
    for _ in range(rows):
        values = [draw.uniform(-1, 1) for _ in range(4)]
        kind = "xyz"[int(3 * abs(values[0] * values[1] + values[2]) / 2) % 3]
        lines.append(",".join(f"{value:.4f}" for value in values) + f",{kind}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
