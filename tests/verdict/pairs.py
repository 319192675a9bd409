"""Twenty pairs of tables from many fields: one fault each ("trap"), and its honest twin. Who wrote them had not seen how the
program decides.

PAIRS maps a name to (maker, word, places):
  maker(r, honest) -> (header, rows, extra), or None where there is no twin
      r       a random.Random; nothing else is a source of chance
      honest  False: the table with the fault; True: the same without it
      header  list of str, the target is the last one
      rows    list of tuples of str ("" is a missing value)
      extra   dict of further YAML `data:` keys, as text
  word    what the tool should say about the trap (and not about the twin)
  places  where: "check" (before training), "verdict" (the last sentence)

Every twin's target is a smooth function along oblique directions of 4 to 6
gaussian inputs (independent rows, balanced classes, a little noise).
"""

import hashlib

from pair_parts import DIM, bands, base, blank, drop, even, mixed, smooth, unit, units
from time_pairs import gas_sensor, grid_load, reactor_yield, road_traffic, store_turnover


def loan_default(r, honest):
    """Consumer credit: 7% of the loans default; the twin is a matched sample, half and half."""
    n = 2600
    xs, s = base(r, n, "six-a", 0.12)
    y = bands(s, even(2) if honest else [0.93, 0.07], ["repaid", "default"])
    header = ["net_income_eur", "debt_ratio", "account_age_months", "utilisation_pct",
              "loan_amount_eur", "age_years", "outcome"]
    scales = [(3100, 640, 0), (0.38, 0.09, 4), (88, 21, 1), (47, 12.5, 2),
              (12400, 2900, 0), (44, 9, 1)]
    rows = [tuple(units(x, scales) + [c]) for x, c in zip(xs, y)]
    return header, mixed(r, rows), {}


def press_failure(r, honest):
    """Hydraulic press: 4% of the cycles fail (class names 0 and 1, missing values); the twin is half and half."""
    n = 2400
    xs, s = base(r, n, "five-a", 0.10)
    y = bands(s, even(2) if honest else [0.96, 0.04], ["0", "1"])
    header = ["oil_temp_c", "pressure_bar", "vibration_mm_s", "cycle_s", "current_a", "failed"]
    scales = [(61, 6.5, 2), (182, 14, 1), (4.6, 0.9, 3), (17.4, 1.8, 2), (38, 4.2, 2)]
    rows = []
    for x, c in zip(xs, y):
        cells = units(x, scales)
        cells[2] = blank(r, cells[2], 0.015)
        rows.append(tuple(cells + [c]))
    return header, rows, {}

def pump_condition(r, honest):
    """Pump diagnosis: four conditions, the rarest 3%; the twin has a quarter of each."""
    n = 2800
    xs, s = base(r, n, "five-b", 0.10)
    y = bands(s, even(4) if honest else [0.17, 0.50, 0.30, 0.03],
              ["wear", "ok", "leak", "cavitation"])
    header = ["flow_m3h", "head_m", "bearing_temp_c", "noise_db", "power_kw", "condition"]
    scales = [(240, 31, 1), (38, 4.4, 2), (58, 7, 2), (79, 3.6, 2), (31, 5.2, 3)]
    return header, [tuple(units(x, scales) + [c]) for x, c in zip(xs, y)], {}


def triage_colour(r, honest):
    """Emergency ward: triage colours, red is 2.5% of the patients; the twin has a third of each."""
    n = 2700
    xs, s = base(r, n, "six-c", 0.12)
    y = bands(s, even(3) if honest else [0.60, 0.375, 0.025], ["Green", "Yellow", "Red"])
    header = ["sex", "heart_rate", "systolic_mmhg", "resp_rate", "temperature_c",
              "oxygen_kpa", "lactate_mmol_l", "triage"]
    scales = [(88, 15, 0), (131, 18, 0), (18, 3.1, 1), (37.3, 0.7, 2),
              (11.2, 1.1, 2), (2.4, 0.5, 2)]
    rows = []
    for x, c in zip(xs, y):
        rows.append(tuple([r.choice(["f", "m"])] + units(x, scales) + [c]))
    return header, mixed(r, rows), {}


def patient_visits(r, honest):
    """About 8 visits of each patient, all with the patient's one outcome; the twin has one row per person, no id."""
    n, kind = 2500, "six-b"
    xs, s = base(r, n, kind, 0.12)
    who = [f"P{10000 + i:05d}" for i in range(n)]
    if not honest:
        xs, s, who, k = [], [], [], 0
        while len(xs) < n:
            k += 1
            mean = [r.gauss(0, 0.9) for _ in range(DIM[kind])]
            answer = 0.4 * smooth(kind, mean) + r.gauss(0, 1)     # mostly the person
            for _ in range(min(r.randint(5, 11), n - len(xs))):
                xs.append([m + r.gauss(0, 0.44) for m in mean])
                s.append(answer)
                who.append(f"P{20000 + 7 * k:05d}")
        # all visits of one patient stay in one class: bands over patients
        first = {}
        for w, a in zip(who, s):
            first[w] = a
        names = sorted(first)
        cls = dict(zip(names, bands([first[w] for w in names], even(3),
                                    ["worse", "stable", "improved"])))
        y = [cls[w] for w in who]
    else:
        y = bands(s, even(3), ["worse", "stable", "improved"])
    header = ["patient_id", "crp_mg_l", "haemoglobin", "creatinine", "bmi", "sodium", "glucose",
              "outcome"]
    scales = [(24, 5.2, 2), (13.4, 1.2, 2), (0.98, 0.17, 3), (26.4, 3.3, 2), (139, 3.1, 2),
              (5.7, 0.9, 3)]
    rows = [tuple([w] + units(x, scales) + [c]) for w, x, c in zip(who, xs, y)]
    if honest:
        header, rows = drop(header, rows, "patient_id")
    return header, mixed(r, rows), {}


def app_churn(r, honest):
    """Weeks of app users, each user has one answer throughout (hashed id, rows by user); the twin has each user once, no id."""
    n, kind = 2700, "six-c"
    xs, s = base(r, n, kind, 0.12)
    y = bands(s, even(2), ["stays", "churns"])
    who = ["" for _ in range(n)]
    if not honest:
        xs, y, who = [], [], []
        while len(xs) < n:
            tag = "u" + hashlib.sha1(repr(r.random()).encode()).hexdigest()[:9]
            mean = [r.gauss(0, 0.85) for _ in range(DIM[kind])]
            answer = "churns" if 0.4 * smooth(kind, mean) + r.gauss(0, 1) > 0.0 else "stays"
            for _ in range(min(r.randint(6, 12), n - len(xs))):
                xs.append([m + r.gauss(0, 0.53) for m in mean])
                y.append(answer)
                who.append(tag)
    header = ["user_hash", "sessions_index", "minutes_active", "latency_ms", "friends_score",
              "push_rate", "spend_index", "platform", "answer"]
    scales = [(50, 10, 2), (214, 38, 1), (131, 19, 1), (0.0, 1.0, 3), (0.41, 0.08, 4), (100, 14, 2)]
    rows = []
    for w, x, c in zip(who, xs, y):
        rows.append(tuple([w] + units(x, scales) + [r.choice(["ios", "android", "web"]), c]))
    if honest:
        header, rows = drop(header, rows, "user_hash")
        rows = mixed(r, rows)
    return header, rows, {}


def turbine_loss(r, honest):
    """Wind turbines: energy loss is mostly the turbine's own offset (integer number); the twin keeps the
    number, it means nothing."""
    n, machines = 2500, 240
    xs, s = base(r, n, "five-a", 0.12)
    numbers = r.sample(range(1000, 9999), machines)
    offset = [r.gauss(0, 1) for _ in range(machines)]
    which = [r.randrange(machines) for _ in range(n)]
    if not honest:
        s = [0.35 * a + 1.3 * offset[m] for a, m in zip(s, which)]
    header = ["wind_ms", "turbine_no", "pitch_deg", "yaw_error_deg", "gearbox_c", "air_density",
              "loss_kwh"]
    scales = [(10.4, 1.9, 2), (6.2, 1.4, 3), (0.3, 3.1, 2), (63, 5.8, 2), (1.21, 0.025, 5)]
    rows = []
    for x, a, m in zip(xs, s, which):
        u = units(x, scales)
        rows.append(tuple(u[:1] + [str(numbers[m])] + u[1:] + [unit(a, 310, 58, 2)]))
    return header, mixed(r, rows), {}

def insurance_risk(r, honest):
    """Motor insurance: tariff_code is the risk class under another name; the twin has no such column."""
    n = 2600
    xs, s = base(r, n, "six-a", 0.12)
    y = bands(s, even(3), ["low", "medium", "high"])
    code = {"low": "T17", "medium": "T04", "high": "T22"}
    header = ["driver_age", "tariff_code", "km_per_year", "car_value", "power_kw", "bonus_years",
              "postcode_index", "risk_class"]
    scales = [(46, 9.5, 1), (14800, 3600, 0), (19400, 5100, 0), (96, 19, 1), (14, 3.3, 1),
              (100, 12, 2)]
    rows = []
    for x, c in zip(xs, y):
        u = units(x, scales)
        rows.append(tuple(u[:1] + [code[c]] + u[1:] + [c]))
    if honest:
        header, rows = drop(header, rows, "tariff_code")
    return header, mixed(r, rows), {}


def heat_demand(r, honest):
    """Heat demand of buildings in kWh, with a column of the same in kBTU; the twin has no such column."""
    n = 2300
    xs, s = base(r, n, "five-b", 0.12)
    header = ["outdoor_c", "glass_ratio", "volume_index", "occupancy", "u_value", "meter_kbtu",
              "heat_kwh"]
    scales = [(6, 4.4, 2), (0.31, 0.06, 4), (100, 17, 2), (52, 11, 1), (0.84, 0.13, 4)]
    rows = []
    for x, a in zip(xs, s):
        kwh = 1460 + 230 * a
        rows.append(tuple(units(x, scales) + [f"{kwh * 3.412142:.0f}", f"{kwh:.1f}"]))
    if honest:
        header, rows = drop(header, rows, "meter_kbtu")
    return header, rows, {}


def contract_ends(r, honest):
    """Telecom contracts: cancel_reason is only filled in once the customer has left; the twin has no such column."""
    n = 2700
    xs, s = base(r, n, "six-b", 0.12)
    y = bands(s, even(2), ["active", "cancelled"])
    header = ["monthly_fee", "data_gb", "calls_min", "tenure_index", "complaints_score",
              "signal_dbm", "cancel_reason", "contract"]
    scales = [(34, 6.5, 2), (21, 4.7, 2), (260, 52, 1), (100, 21, 2), (0.0, 1.0, 3), (-87, 6.4, 2)]
    rows = []
    for x, c in zip(xs, y):
        reason = r.choice(["price", "coverage", "moved", "service"])
        keep = r.random() < 0.98                          # a few forms are left empty
        rows.append(tuple(units(x, scales) + [reason if c == "cancelled" and keep else "", c]))
    if honest:
        header, rows = drop(header, rows, "cancel_reason")
    return header, mixed(r, rows), {}

def click_log(r, honest):
    """Web clicks: a bad join repeats many of the rows exactly, shuffled; the twin has every row once."""
    n = 2500
    xs, s = base(r, n, "five-a", 0.12)
    y = bands(s, even(3), ["bounce", "browse", "buy"])
    header = ["dwell_s", "scroll_pct", "price_shown", "age_of_cookie_h", "rank_score", "action"]
    scales = [(48, 9.6, 2), (57, 12, 2), (39, 8.2, 2), (310, 66, 1), (0.0, 1.0, 3)]
    rows = [tuple(units(x, scales) + [c]) for x, c in zip(xs, y)]
    if not honest:
        rows = rows[:1500]
        rows = rows + [rows[r.randrange(len(rows))] for _ in range(1000)]
    return header, mixed(r, rows), {}


def assay_export(r, honest):
    """Lab assay: the same export was appended twice, in order; the twin is the export of twice as many samples."""
    n = 2400
    xs, s = base(r, n, "four-a", 0.12)
    header = ["reagent_lot", "absorbance", "incubation_min", "buffer_mmol", "dilution_log",
              "titre"]
    scales = [(0.82, 0.14, 4), (61, 5.5, 2), (150, 13, 2), (2.1, 0.33, 4)]
    rows = []
    for x, a in zip(xs, s):
        lot = r.choice(["A", "B", "C"])
        rows.append(tuple([lot] + units(x, scales) + [unit(a, 420, 65, 2)]))
    if not honest:
        rows = rows[:1200] + rows[:1200]
    return header, rows, {}

def weld_quality(r, honest):
    """Weld seams: the study keeps 0.6% of the rows (about 15) as the test; the twin has the ordinary parts."""
    n = 2500
    xs, s = base(r, n, "six-c", 0.12)
    y = bands(s, even(2), ["good", "rework"])
    header = ["current_a", "voltage_v", "wire_feed", "gas_l_min", "travel_mm_s", "gap_mm", "seam"]
    scales = [(181, 17, 1), (23.5, 1.9, 3), (8.2, 0.9, 3), (14, 1.6, 3), (7.3, 1.1, 3),
              (0.9, 0.14, 4)]
    rows = [tuple(units(x, scales) + [c]) for x, c in zip(xs, y)]
    return header, mixed(r, rows), ({} if honest else {"split": "{valid: 0.2, test: 0.006}"})

def coupon_letters(r, honest):
    """Letters with a coupon, sent at random: the letter's version has nothing to do with the customer. No twin."""
    if honest:
        return None
    n = 2000
    header = ["customer_age", "orders_last_year", "mean_order_eur", "newsletter", "region",
              "days_since_visit", "letter_version"]
    rows = []
    for _ in range(n):
        rows.append((unit(r.gauss(0, 1), 43, 11, 0), str(r.randint(0, 24)),
                     f"{r.lognormvariate(3.6, 0.5):.2f}", r.choice(["yes", "no"]),
                     r.choice(["north", "south", "east", "west"]),
                     blank(r, str(int(r.expovariate(1 / 60.0))), 0.03),
                     r.choice(["blue", "green"])))
    return header, rows, {}

def freight_tariff(r, honest):
    """Freight price by steps: weight and distance brackets, 60 zones, useless columns; the twin is smooth, oblique."""
    if honest:
        n = 2600
        xs, s = base(r, n, "six-a", 0.12)
        header = ["weight_kg", "distance_km", "volume_m3", "value_index", "fuel_index",
                  "load_factor", "price_eur"]
        scales = [(420, 84, 2), (510, 96, 1), (3.4, 0.7, 3), (100, 15, 2), (100, 6.2, 3),
                  (0.71, 0.08, 4)]
        rows = [tuple(units(x, scales) + [unit(a, 640, 110, 2)]) for x, a in zip(xs, s)]
        return header, rows, {}
    n = 3000
    header = ["zone", "weight_kg", "distance_km", "hour", "volume_m3", "fuel_index",
              "load_factor", "stops", "tour_length", "tyre_bar", "driver_score", "price_eur"]
    zones = [f"Z{i:02d}" for i in range(60)]
    surcharge = {z: r.choice([0, 0, 45, 90, 160]) for z in zones}
    steps_w = [31, 57, 120, 240, 410, 700]
    price_w = [r.choice([40, 120, 210, 330, 470]) for _ in range(7)]      # up and down
    rows = []
    for _ in range(n):
        z = r.choice(zones)
        w = min(1500.0, r.lognormvariate(5.0, 1.1))
        d = r.uniform(5, 900)
        h = r.randrange(24)
        p = 180 + surcharge[z] + price_w[sum(w >= e for e in steps_w)]
        p += 220 if int(d // 75) % 2 == 0 else 0                          # every other bracket
        p += 260 if (h < 5 or h >= 21) and d > 300 else 0                 # night, far
        p += 150 if 9 <= h < 12 and w > 57 else 0                         # peak, heavy
        rows.append((z, f"{w:.1f}", f"{d:.1f}", str(h), f"{r.lognormvariate(0.8, 0.6):.2f}",
                     f"{r.gauss(100, 6):.2f}", f"{r.betavariate(5, 2):.3f}",
                     str(r.randint(1, 14)), f"{r.expovariate(1 / 340.0):.1f}",
                     f"{r.gauss(8.4, 0.3):.2f}", f"{r.uniform(0, 10):.2f}",
                     f"{p + r.gauss(0, 12):.2f}"))
    return header, rows, {}


BOTH = ("check", "verdict")

PAIRS = {
    "loan-default": (loan_default, "valid.auc", ("check",)),
    "press-failure": (press_failure, "valid.auc", ("check",)),
    "pump-condition": (pump_condition, "valid.balanced_accuracy", ("check",)),
    "triage-colour": (triage_colour, "valid.balanced_accuracy", ("check",)),
    "grid-load": (grid_load, "split: {time: measured_at}", BOTH),
    "store-turnover": (store_turnover, "split: {time: sale_date}", BOTH),
    "gas-sensor": (gas_sensor, "split: {time: epoch_s}", BOTH),
    "road-traffic": (road_traffic, "split: {time: interval_start}", BOTH),
    "reactor-yield": (reactor_yield, "split: {time: run_no}", BOTH),
    "patient-visits": (patient_visits, "split: {group: patient_id}", BOTH),
    "app-churn": (app_churn, "split: {group: user_hash}", BOTH),
    "turbine-loss": (turbine_loss, "split: {group: turbine_no}", BOTH),
    "insurance-risk": (insurance_risk, "gives the target away", BOTH),
    "heat-demand": (heat_demand, "gives the target away", BOTH),
    "contract-ends": (contract_ends, "gives the target away", BOTH),
    "click-log": (click_log, "in both the training part and the test part", BOTH),
    "assay-export": (assay_export, "in both the training part and the test part", BOTH),
    "weld-quality": (weld_quality, "too few", ("verdict",)),
    "coupon-letters": (coupon_letters, "not better than always answering", ("verdict",)),
    "freight-tariff": (freight_tariff, "not better than gradient-boosted trees", ("verdict",)),
}
