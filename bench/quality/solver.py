"""Our samplers, through `trellis solver` and its protocol (docs/solver.md)."""
import json
import subprocess


def domain_of(parameter):
    if parameter.kind == "choice":
        spread = {"type": "CATEGORICAL", "choices": [str(choice) for choice in parameter.choices]}
    elif parameter.kind == "int":
        spread = {"type": "DISCRETE", "low": parameter.low, "high": parameter.high + 1}
    else:
        spread = {"type": "CONTINUOUS", "low": parameter.low, "high": parameter.high}
    domain = {"name": parameter.name, "range": spread, "distribution": "LOG_UNIFORM" if parameter.log else "UNIFORM"}
    if parameter.when:
        domain["constraint"] = {"lua_script": "return " + " and ".join(condition(*one) for one in parameter.when)}
    return domain


def condition(name, values):
    quoted = [f'{name} == {value}' if isinstance(value, int) else f'{name} == "{value}"' for value in values]
    return quoted[0] if len(quoted) == 1 else "(" + " or ".join(quoted) + ")"


class Program:
    """One `trellis solver --method NAME`, which serves many searches one after another."""

    def __init__(self, trellis, method):
        self.process = subprocess.Popen([trellis, "solver", "--method", method], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.said()
        self.searches = 0

    def said(self):
        answer = json.loads(self.process.stdout.readline())
        if answer["type"] == "ERROR_REPLY":
            raise Refused(answer["message"])
        return answer

    def say(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def search(self, problem, seed):
        self.searches += 1
        return Search(self, self.searches, problem, seed)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Refused(Exception):
    """What a sampler cannot do, in its words."""


class Search:
    def __init__(self, program, identity, problem, seed):
        self.program, self.id, self.problem, self.next = program, identity, problem, 0
        if identity > 1:
            program.say({"type": "DROP_SOLVER_CAST", "solver_id": identity - 1})
        space = [domain_of(parameter) for parameter in problem.parameters]
        values = [{"name": f"loss{i}", "range": {"type": "CONTINUOUS"}} for i in range(problem.metrics)]
        program.say({"type": "CREATE_SOLVER_CAST", "solver_id": identity, "random_seed": seed,
                     "problem": {"name": problem.name, "params_domain": space, "values_domain": values, "steps": 1}})

    def ask(self):
        self.program.say({"type": "ASK_CALL", "solver_id": self.id, "next_trial_id": self.next})
        answer = self.program.said()
        self.next = answer["next_trial_id"]
        params = {}
        for parameter, value in zip(self.problem.parameters, answer["trial"]["params"]):
            if value is not None:
                params[parameter.name] = {"choice": lambda p, v: p.choices[int(v)], "int": lambda _, v: int(v),
                                          "float": lambda _, v: v}[parameter.kind](parameter, value)
        return answer["trial"]["id"], params

    def tell(self, token, loss):
        values = [loss] if self.problem.metrics == 1 else loss
        self.program.say({"type": "TELL_CALL", "solver_id": self.id, "trial": {"id": token, "values": values, "current_step": 1}})
        self.program.said()
