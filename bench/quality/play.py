"""One search, played in virtual time: who proposes is told of a trial when it ends, and asked when a slot is free."""
import heapq
import random

TRIALS = 100
CHECKPOINTS = (25, 50, 100, 500, 1000, 2000)


def durations(problem, seed):
    """How long each trial lasts, whoever proposed it."""
    stream = random.Random(f"{problem.name} {seed}")
    while True:
        yield stream.uniform(0.5, 1.5)


def losses(problem, search, seed, slots, trials=TRIALS):
    """The losses in the order in which trials ended. `search` has ask() -> (token, params) and tell(token, loss)."""
    lasts, running, told = durations(problem, seed), [], []
    for number in range(min(slots, trials)):
        heapq.heappush(running, (next(lasts), number, search.ask()))
    asked = len(running)
    while running:
        now, _, (token, params) = heapq.heappop(running)
        told.append(problem.loss(params))
        search.tell(token, told[-1])
        if asked < trials:
            heapq.heappush(running, (now + next(lasts), asked, search.ask()))
            asked += 1
    return told


def regrets(problem, told):
    """The regret of the best trial at each checkpoint."""
    return [problem.regret(min(told[:count])) if len(told) >= count else None for count in CHECKPOINTS]
