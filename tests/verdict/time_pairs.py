"""Tables whose target follows time, and their honest twins (pairs.py)."""
import datetime
import math

from pair_parts import R3, ar1, bands, base, blank, drop, even, mixed, standard, unit, units


def grid_load(r, honest):
    """Hourly grid load that drifts (trend and a slow random walk); the twin has no timestamp and no drift."""
    n = 2400
    xs, s = base(r, n, "six-a", 0.12)
    walk, v = [], 0.0
    for t in range(n):
        v += r.gauss(0, 1)
        walk.append(v)
    walk = standard(walk)
    if not honest:
        s = [0.7 * a + 2.2 * (t / n - 0.5) + 0.9 * w for t, (a, w) in enumerate(zip(s, walk))]
    start = datetime.datetime(2021, 3, 1, 0, 0)
    header = ["measured_at", "temperature_c", "wind_ms", "humidity_pct", "cloud_index",
              "price_eur_mwh", "industry_index", "load_mw"]
    scales = [(12, 6.1, 2), (9.5, 2.3, 2), (68, 9, 1), (0.5, 0.12, 4), (71, 16, 2), (100, 8.5, 2)]
    rows = []
    for t, (x, a) in enumerate(zip(xs, s)):
        when = (start + datetime.timedelta(hours=t)).strftime("%Y-%m-%d %H:%M:%S")
        rows.append(tuple([when] + units(x, scales) + [unit(a, 5400, 620, 1)]))
    if honest:
        header, rows = drop(header, rows, "measured_at")
    return header, rows, {}


def store_turnover(r, honest):
    """Daily turnover with long-lived ups and downs, shuffled, day first; the twin keeps the date, every day on its own."""
    n = 2300
    xs, s = base(r, n, "five-a", 0.12)
    slow = ar1(r, n, 0.985)
    if not honest:
        s = [0.6 * a + 1.2 * w for a, w in zip(s, slow)]
    start = datetime.date(2016, 2, 3)
    header = ["advert_spend", "discount_pct", "visitors", "sale_date", "staff_hours",
              "basket_items", "turnover"]
    scales = [(940, 210, 2), (12, 2.8, 2), (1310, 240, 0), (96, 14, 1), (7.4, 1.2, 2)]
    rows = []
    for t, (x, a) in enumerate(zip(xs, s)):
        u = units(x, scales)
        when = (start + datetime.timedelta(days=t)).strftime("%d/%m/%Y")
        rows.append(tuple(u[:3] + [when] + u[3:] + [unit(a, 18400, 3100, 2)]))
    return header, mixed(r, rows), {}


def gas_sensor(r, honest):
    """Gas sensor: what the inputs mean turns round over time (unix seconds); the twin has a fixed relation, no time."""
    n = 2600
    kind = "six-a"
    xs, s = base(r, n, kind, 0.12)
    if not honest:
        s = []
        for t, x in enumerate(xs):
            w = math.cos(math.pi * t / n)                 # from 1 over 0 to -1
            a = (x[0] + x[1] - x[2]) / R3
            c = (x[3] - x[4] + x[5]) / R3
            s.append(1.5 * w * c + 0.6 * a + 0.15 * r.gauss(0, 1))
    y = bands(s, even(2), ["safe", "alarm"])
    header = ["r1_kohm", "r2_kohm", "r3_kohm", "epoch_s", "heater_v", "board_temp_c",
              "humidity_pct", "state"]
    scales = [(41, 6.2, 3), (18, 3.1, 3), (66, 8, 3), (5.02, 0.11, 4), (34, 3.9, 2), (52, 8.4, 2)]
    rows, clock = [], 1577870000
    for x, c in zip(xs, y):
        clock += r.randint(540, 660)
        u = units(x, scales)
        rows.append(tuple(u[:3] + [str(clock)] + u[3:] + [c]))
    if honest:
        header, rows = drop(header, rows, "epoch_s")
    return header, rows, {}


def road_traffic(r, honest):
    """Traffic state that lasts for hours (three classes, dd.mm.yyyy HH:MM, shuffled); the twin keeps the time, no memory."""
    n = 2500
    xs, s = base(r, n, "five-b", 0.10)
    slow = ar1(r, n, 0.98)
    if not honest:
        s = [0.5 * a + 1.2 * w for a, w in zip(s, slow)]
    y = bands(s, even(3), ["free", "dense", "jam"])
    start = datetime.datetime(2022, 9, 5, 6, 0)
    header = ["interval_start", "trucks_share", "mean_gap_s", "rain_mm_log", "ramp_flow",
              "upstream_speed", "traffic_state"]
    scales = [(0.14, 0.03, 4), (3.3, 0.6, 3), (-0.4, 0.5, 3), (410, 74, 1), (92, 13, 2)]
    rows = []
    for t, (x, c) in enumerate(zip(xs, y)):
        when = (start + datetime.timedelta(minutes=15 * t)).strftime("%d.%m.%Y %H:%M")
        rows.append(tuple([when] + units(x, scales) + [c]))
    return header, mixed(r, rows), {}


def reactor_yield(r, honest):
    """Reactor runs: yield falls from run to run as the catalyst ages (counter, in order); the twin has
    no counter and no ageing."""
    n = 2200
    xs, s = base(r, n, "four-a", 0.12)
    if not honest:
        s = [0.6 * a - 3.0 * t / n - 1.2 * ((t % 550) / 550) for t, a in enumerate(s)]
    header = ["run_no", "feed_rate_kg_h", "jacket_temp_c", "stir_rpm", "ph", "yield_pct"]
    scales = [(212, 24, 2), (141, 6.5, 2), (360, 41, 1), (6.1, 0.35, 3)]
    rows = []
    for t, (x, a) in enumerate(zip(xs, s)):
        u = units(x, scales)
        u[3] = blank(r, u[3], 0.01)
        rows.append(tuple([str(48211 + t)] + u + [unit(a, 74, 4.5, 3)]))
    if honest:
        header, rows = drop(header, rows, "run_no")
    return header, rows, {}
