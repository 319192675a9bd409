"""The sentences of a report's page, recomputed from what the other verbs print as JSON."""
import collections
import contextlib
import json
import math
import re
import sqlite3

BEST_TENTH, FEW_ENDED, FEW_FOR_ADVICE = 0.1, 20, 30
SETTLED, IMPROVING, IDLE, SHOWN = 0.5, 0.2, 0.02, 10


class Facts:
    """What the verbs say of a study."""

    def __init__(self, ask, database):
        def read(verb, *words):
            text = ask(verb, *words)
            return json.loads(text) if text.strip() else None

        self.status, self.trials, self.best = read("status"), read("trials"), read("best")
        self.importance = read("importance") or []
        self.metric = self.best["metric"] if self.best else ""
        self.maximizes = json.loads(ask("export", "--format", "json"))["goal"] == "maximize"
        self.database = database
        self.ended = sum(self.status["trials"][state] for state in ("complete", "stopped", "failed"))

    def curve(self, trial):
        """Steps and values of a trial's reports, by the view that people read a log by."""
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as log:
            return log.execute("SELECT step, value FROM reports WHERE trial = ? ORDER BY seq", (trial,)).fetchall()

    def of_state(self, *states):
        return [trial for trial in self.trials if trial["state"] in states]


def counted(number, name):
    return f"{number} {name}" + ("" if number == 1 else "s")


def value_text(metric, value):
    """As the page rounds: a share of rows in per cent, other numbers to four digits."""
    is_share = metric.split(".")[-1] in ("accuracy", "balanced_accuracy") and 0 <= value <= 1
    if is_share:
        return f"{100 * value:.1f}%"
    return f"{value:.4g}"


def says_value(text, metric, value):
    """True if the text has the value in the page's rounding; the last digit may be rounded either way."""
    if value_text(metric, value) in text:
        return True
    numbers = [(float(number) / (100 if sign else 1)) for number, sign in re.findall(r"(-?\d[\d.]*(?:e[-+]?\d+)?)(%?)", text)]
    return any(math.isclose(number, value, rel_tol=2e-3) for number in numbers)


def result(facts, text):
    best = facts.best
    if not best:
        failed = facts.of_state("failed")
        if not facts.trials:
            return text == "No trial has begun yet."
        if len(failed) == len(facts.trials):
            causes = collections.Counter(one["cause"] for one in failed)
            return all(f"{count} {cause}" in text for cause, count in causes.items())
        return text.startswith("No trial has a ")
    if best["verdict"]:
        return text == f"Trial {best['trial']} is {best['verdict']['text'].split('; ')[0]}."
    named = re.search(rf"\b[Tt]rial {best['trial']}\b", text)
    if best["state"] == "stopped" and not text.startswith("No trial is complete"):
        return False
    return bool(named) and ("breaks a bound" in text or says_value(text, best["metric"], best["value"]))


def progress(facts, text):
    best = facts.best["trial"]
    since = len([trial for trial in facts.of_state("complete", "stopped", "failed") if trial["trial"] > best])
    if facts.ended < FEW_ENDED:
        return text == f"Too few trials to say whether more would help: {facts.ended} ended."
    said = f"the best is trial {best} of {len(facts.trials)}"
    after = f", and the {counted(since, 'trial')} after it brought nothing better."
    if since / facts.ended >= SETTLED:
        return text == f"The search has settled: {said}{after}"
    if since / facts.ended <= IMPROVING:
        return text == f"More trials may help: {said}."
    return text == said.capitalize() + after


def parameters(facts, text):
    def varies(name):
        return len({json.dumps(trial["params"].get(name)) for trial in facts.trials}) > 1

    if few := re.match(r"Too few trials to say what mattered: (\d+) ended", text):
        return int(few.group(1)) == sum(isinstance(one["value"], (int, float)) for one in facts.of_state("complete", "stopped"))
    if not any(varies(one["parameter"]) for one in facts.importance):
        return text.startswith(("Too few trials to say what mattered", "No parameter varies", "Nothing says"))
    first = facts.importance[0]
    if len(facts.importance) == 1:
        return text.endswith("is the only parameter that varies.")
    share = f"{math.floor(100 * first['share'] + 0.5)}%"
    if text == "No parameter mattered more than the others.":
        return share == f"{math.floor(100 * facts.importance[1]['share'] + 0.5)}%"
    if text.startswith("No parameter mattered much more"):
        return first["share"] * len(facts.importance) < 1.5 and share in text
    return text.endswith(f" mattered most: {share} of what sets the best tenth apart.")


def best_tenth_at_end(facts, name):
    """The shares of the best tenth at both ends of a parameter's range, as seen by all trials."""
    values = [trial["params"][name] for trial in facts.trials if isinstance(trial["params"].get(name), (int, float))]
    return bool(values)


def failed_beyond(facts, name):
    """Whether trials failed where no other one was along a parameter."""
    def values(*states):
        return [trial["params"][name] for trial in facts.of_state(*states) if name in trial["params"]]

    worked = values("complete", "stopped")
    return sum(not min(worked) <= value <= max(worked) for value in values("failed")) >= 3


def following(facts, text):
    """Which parameters without effect to keep; whether a bound to widen is a number's."""
    valued = sum(isinstance(one["value"], (int, float)) for one in facts.of_state("complete", "stopped"))
    if few := re.match(r"Too few trials for advice: (\d+) ended with a value", text):
        return int(few.group(1)) == valued < FEW_FOR_ADVICE
    idle = [one["parameter"] for one in facts.importance if one["share"] < IDLE and one["parameter"] in facts.best["params"]]
    kept = re.search(r"keep (.*?)\.$", text)
    names = re.split(r", | and \d+ more", kept.group(1)) if kept else []
    if len(facts.importance) > 2 and bool(idle) != bool(kept):
        return False
    if narrowed := re.search(r"narrow (.*?)(?:, (?:and )?(?:widen|keep)|\.$)", text):
        if not all(failed_beyond(facts, name) for name in re.split(r", | and \d+ more", narrowed.group(1)) if name):
            return False
    widened = re.search(r"widen (.*?)(?:, and keep|\.$)", text)
    wide = re.split(r", | and \d+ more", widened.group(1)) if widened else []
    return all(name in idle for name in names if name) and all(best_tenth_at_end(facts, name) for name in wide if name)


def curves(facts, text):
    if not facts.best or text.endswith("came in."):
        return True
    reports = facts.curve(facts.best["trial"])
    best = max(reports, key=lambda report: (report[1] if facts.maximizes else -report[1], report[0]))
    if len(reports) == 1:
        return text.startswith("The winner reported once, at ") and text.endswith(f" {best[0]}.")
    last = reports[-1][0]
    end = rf"its last report, at (epoch|step) {last}\." if best[0] == last else rf"at (epoch|step) {best[0]} of {last}\."
    return re.search(end + "$", text) is not None


def metrics(facts, text):
    front = facts.status.get("front")
    return front is None or text.startswith(str(len(front["trials"])))


def cost(facts, text):
    workers = facts.status["workers"]
    held = text.startswith(counted(len(facts.trials), "trial"))
    if "busy" in text:
        whole = sum(one["busy"] + one["waiting"] + one["moving"] for one in workers)
        share = sum(one["busy"] for one in workers) / whole
        held = held and f"{counted(len(workers), 'device')}, {math.floor(100 * share + 0.5)}% busy." in text
    if ran := re.search(r"; their programs ran for (.+) in all, ([\d.]+) at a time on average\.$", text):
        with contextlib.closing(sqlite3.connect(f"file:{facts.database}?mode=ro", uri=True)) as log:
            took = log.execute("SELECT sum(took) FROM events").fetchone()[0] or 0
        units = {"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}
        said = sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+) (us|ms|s|min|h)", ran.group(1)))
        held = held and math.isclose(said, took, rel_tol=0.02, abs_tol=1e-3)
    return held


def failures(facts, text):
    failed = facts.of_state("failed")
    words = {"error": "by an error"}
    counts = collections.Counter(one["cause"] for one in failed)
    return text.startswith(f"{len(failed)} of {counted(len(facts.trials), 'trial')} failed: ") and all(
        f"{count} {words.get(cause, cause)}" in text for cause, count in counts.items())


def trials(facts, text):
    if len(facts.trials) == 1:
        return text == "The one trial"
    if text == f"All {len(facts.trials)} trials":
        return True
    few = min(SHOWN, len(facts.trials))
    said = re.fullmatch(rf"The (best|first) {few} of {len(facts.trials)} trials (range from .+ to .+|all reached .+)\.", text)
    if said and (said.group(1) == "first") != text.endswith("complete ones come before stopped ones."):
        return False
    return bool(said) and says_value(text, facts.metric, facts.best["value"])


def turns(facts, kind):
    """(trial, payload) of the log's events of a kind, in order."""
    with contextlib.closing(sqlite3.connect(f"file:{facts.database}?mode=ro", uri=True)) as log:
        rows = log.execute("SELECT trial, payload FROM events WHERE kind = ? ORDER BY seq", (kind,)).fetchall()
    return [(trial, json.loads(payload)) for trial, payload in rows]


def lineage(facts, text):
    """Whose network the winner has: each copy hands on the line of the trial that it was taken from."""
    lines = {trial["trial"]: [trial["trial"]] for trial in facts.trials}
    for trial, one in turns(facts, "replaced"):
        lines[trial] = [*lines[one["source"]], trial]
    chain = lines[facts.best["trial"]]
    if len(chain) == 1:
        return text == f"The winner's network was trained by trial {chain[0]} alone."
    return text == f"The winner's network came through trials {', '.join(map(str, chain))}."


def shapes(facts, text):
    rounds = [one for trial, one in turns(facts, "adapted") if trial == facts.best["trial"]]
    if not rounds:
        return text == f"Networks changed their shape in {counted(len(turns(facts, 'adapted')), 'round')}."
    kept = [one for one in rounds[-1]["candidates"] if one.get("accepted")] or rounds[-1]["candidates"][:1]
    return text == f"The winner's network became {kept[0]['shape']} in {counted(len(rounds), 'round')}."


def any_text(_, text):
    """Sentences that hold no number of the verbs'."""
    return bool(text)


KNOWN = {"result": result, "progress": progress, "parameters": parameters, "next": following, "curves": curves,
         "metrics": metrics, "cost": cost, "failures": failures, "trials": trials, "lineage": lineage, "shapes": shapes,
         "repeat": any_text}


def result_lead(facts, text):
    """The value that the search saw, where the sentence names one."""
    return "The search saw" not in text or says_value(text.partition("The search saw")[2], facts.metric, facts.best["value"])


def progress_lead(facts, text):
    complete = facts.status["trials"]["complete"]
    held = "The study runs:" not in text or f"The study runs: {facts.ended} of {len(facts.trials)} trials ended." in text
    return held and ("Only" not in text or f"Only {counted(complete, 'trial')}" in text)


def metrics_lead(facts, text):
    front = facts.status.get("front")
    known = front and front.get("hypervolume") is not None
    return not known or f"Its hypervolume is {front['hypervolume']:.4g}." in text


def curves_lead(facts, text):
    with contextlib.closing(sqlite3.connect(f"file:{facts.database}?mode=ro", uri=True)) as log:
        reports, = log.execute("SELECT count(*) FROM reports").fetchone()
    stopped = facts.status["trials"]["stopped"]
    held = text.startswith(f"{counted(reports, 'report')} from {counted(len(facts.trials), 'trial')}.")
    return held and (stopped == 0 or f"ended {counted(stopped, 'trial')} early" in text)


def shapes_lead(facts, text):
    rounds = [one for _, one in turns(facts, "adapted")]
    candidates = sum(len(one["candidates"]) for one in rounds)
    return text == f"All networks together went through {counted(len(rounds), 'round')} with {counted(candidates, 'candidate')}."


def lineage_lead(facts, text):
    takers = [trial for trial, _ in turns(facts, "replaced")]
    return text.startswith(counted(len(set(takers)), "trial")) and text.endswith(f", {counted(len(takers), 'time')} in all.")


LEADS = {"result": result_lead, "progress": progress_lead, "metrics": metrics_lead, "curves": curves_lead,
         "shapes": shapes_lead, "lineage": lineage_lead}


def wrong_facts(facts, shown):
    """Of {name: value} below the result, those that the verbs contradict."""
    states = facts.status["trials"]
    told = {"trials": len(facts.trials), "complete": states["complete"], "stopped early": states["stopped"],
            "failed": states["failed"], "epochs": sum(one["epochs"] for one in facts.trials),
            "not ended": len(facts.trials) - facts.ended}
    told["steps"] = told["epochs"]
    return [f"{name} {value}, not {told[name]}" for name, value in shown.items() if name in told and value != str(told[name])]


def wrong_sentences(facts, headings, leads):
    """Of {section: heading} and {section: the sentence below it}, those that say something else than the verbs do."""
    wrong = [f"{section}: {text}" for section, text in headings.items()
             if section not in KNOWN or not KNOWN[section](facts, text)]
    return wrong + [f"{section}: {text}" for section, text in leads.items()
                    if section in LEADS and not LEADS[section](facts, text)]


HEADINGS = "(section) => [section.id, section.querySelector('h1, h2').textContent]"
LEAD = "(section) => [section.id, section.querySelector('p.lead')?.textContent]"
FACTS = "(pair) => [pair.querySelector('dt').textContent, pair.querySelector('dd').textContent]"


def wrong_on(page, facts):
    """All that the open page says wrong."""
    def texts(selector, pair):
        pairs = page.evaluate(f"() => [...document.querySelectorAll('{selector}')].map({pair})")
        return {name: text for name, text in pairs if text}

    return wrong_sentences(facts, texts("section", HEADINGS), texts("section", LEAD)) + wrong_facts(
        facts, texts("#result > dl.facts > div", FACTS))
