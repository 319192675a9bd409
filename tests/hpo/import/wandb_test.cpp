#include "hpo/import/wandb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace hpo {
namespace {

std::string sweep(const std::string& parameters, const std::string& more = "") {
  return base::cat("program: train.py\nmethod: random\nmetric: {name: loss}\nparameters: ",
                   parameters, "\n", more);
}

Imported imported(const std::string& parameters, const std::string& more = "") {
  return import_wandb(sweep(parameters, more), "sweep.yaml");
}

StudySpec study(const std::string& parameters) {
  return study_made(imported(parameters).yaml, "sweep.yaml", "study.yaml");
}

std::string refusal(const std::string& text) {
  try {
    return "made: " + import_wandb(text, "sweep.yaml").yaml;
  } catch (const base::Error& error) {
    return error.what();
  }
}

bool leaves(const Imported& imported, const std::string& words) {
  return std::ranges::any_of(imported.notes.lines(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

TEST(WandbSweep, RefusesWhatNoStudyFileCanSay) {
  EXPECT_EQ(refusal(sweep("{x: {min: 3, max: 1}}")),
            "sweep.yaml:4:23: min is above max, expected at most 1");
  EXPECT_EQ(refusal(sweep("{x: {min: 0, max: 1, distribution: log_uniform_values}}")),
            "sweep.yaml:4:23: min of a logarithm is 0, expected more than 0");
  EXPECT_EQ(
      refusal(sweep("{x: {min: 1, max: 1000, distribution: log_uniform}}")),
      "sweep.yaml:4:23: min and max are exponents of e, which lead out of all numbers; expected "
      "log_uniform_values for bounds that are values");
  EXPECT_EQ(
      refusal(sweep("{x: {min: 1, max: 2, distribution: unifrom}}")),
      "sweep.yaml:4:48: the distribution unifrom is unknown, expected one of W&B's; did you mean "
      "'uniform'?");
  EXPECT_EQ(refusal(sweep("{x: {mu: 1, sigma: 0, distribution: normal}}")),
            "sweep.yaml:4:32: sigma is 0, expected more than 0");
  EXPECT_EQ(refusal(sweep("{x: {min: 1, max: 2, q: -1, distribution: q_uniform}}")),
            "sweep.yaml:4:37: q is -1, expected more than 0");
  EXPECT_EQ(refusal("method: random\ncommand: ['${program}']\nparameters: {x: {value: 1}}\n"),
            "sweep.yaml:1:1: command names ${program}, but program is missing, expected its path");
  const std::string many = refusal(sweep("{x: {min: 0, max: 1.5}}", "run_cap: 0\n"));
  EXPECT_TRUE(many.starts_with("sweep.yaml:1:1: cannot be carried over: limits.trials")) << many;
}

TEST(WandbSweep, NamesKeysOfAParameterThatItDoesNotKnow) {
  const Imported made = imported("{lr: {min: 0.1, max: 1.5, scale: log, prior: 3}}");
  EXPECT_TRUE(leaves(made, "scale of lr: a sweep file has no such key")) << made.yaml;
  EXPECT_TRUE(leaves(made, "prior of lr: a sweep file has no such key")) << made.yaml;
  const Imported block = imported("{net: {parameters: {a: {value: 1}}, depth: 2}}");
  EXPECT_TRUE(leaves(block, "depth of net: a sweep file has no such key")) << block.yaml;
}

TEST(WandbSweep, RefusesOurOwnStudyFile) {
  EXPECT_EQ(
      refusal(sweep("{lr: {min: 0.1, max: 1.5, scale: log}}", "limits: {trials: 9}\n")),
      "sweep.yaml:5:9: this is a study file already (it has limits), expected a W&B sweep file");
}

TEST(WandbSweep, TellsNamesApartThatBecomeTheSame) {
  const Imported made = imported("{a.b: {values: [1, 2]}, a b: {value: 3}, args: {value: 4}}");
  EXPECT_TRUE(leaves(made, "renamed a b to a_b_2")) << made.yaml;
  const StudySpec spec = study_made(made.yaml, "sweep.yaml", "study.yaml");
  EXPECT_NE(spec.space.find("a_b"), nullptr);
  EXPECT_NE(spec.space.find("a_b_2"), nullptr);
  EXPECT_NE(spec.space.find("args_2"), nullptr);
}

TEST(WandbSweep, KeepsStepsAndSaysWhereItCannot) {
  const StudySpec spec = study("{x: {min: 3, max: 129, q: 16, distribution: q_uniform}}");
  EXPECT_EQ(spec.space.find("x")->domain, Domain(IntRange{.min = 16, .max = 128, .step = 16}))
      << "q is an int, and so are the values";
  const Imported within = imported("{x: {min: 3, max: 100, q: 8, distribution: q_uniform}}");
  EXPECT_NE(within.yaml.find("x: {type: int, min: 8, max: 96, step: 8}"), std::string::npos)
      << within.yaml;
  EXPECT_TRUE(leaves(within, "ends of x: W&B rounds to multiples of 8 beyond them as well"));
  const Imported exact = imported("{x: {min: 0.0, max: 0.3, q: 0.1, distribution: q_uniform}}");
  EXPECT_FALSE(leaves(exact, "ends of x")) << "0.3 / 0.1 is a little below 3";
  EXPECT_TRUE(leaves(imported("{x: {min: 0.0, max: 1.0, q: 0.1}}"), "q of x"));
  EXPECT_EQ(study("{x: {min: 7, max: 9, q: 16, distribution: q_uniform}}").space.find("x")->domain,
            Domain(IntRange{.min = 0, .max = 16, .step = 16}));
  const StudySpec batch =
      study("{x: {min: 30, max: 258, q: 8, distribution: q_log_uniform_values}}");
  EXPECT_EQ(batch.space.find("x")->domain,
            Domain(IntRange{.min = 32, .max = 256, .scale = Scale::log, .step = 8}));
  EXPECT_EQ(
      study("{x: {min: 0.0, max: 1.0, q: 0.25, distribution: q_uniform}}").space.find("x")->domain,
      Domain(FloatRange{.min = 0, .max = 1, .step = 0.25}));
}

TEST(WandbSweep, StepsOfOneAreIntsWhereQIsLeftOut) {
  EXPECT_EQ(study("{x: {min: 0.5, max: 9, distribution: q_uniform}}").space.find("x")->domain,
            Domain(IntRange{.min = 1, .max = 9}));
}

TEST(WandbSweep, RungsAreTheirBrackets) {
  const Imported made =
      imported("{x: {min: 0.0, max: 1.0}}",
               "early_terminate: {type: hyperband, min_iter: 2, max_iter: 100, s: 3, eta: 2.5}\n");
  EXPECT_NE(made.yaml.find("{type: asha, min: 6, eta: 2, max: 48}"), std::string::npos)
      << "max_iter comes first: " << made.yaml;
  EXPECT_TRUE(leaves(made, "eta 2.5 of early_terminate became eta 2"));
  EXPECT_TRUE(
      leaves(made, "the brackets of early_terminate at 6, 16, 40 became rungs at 6, 12, 24"));
  const auto rule = [](const char* keys) {
    const Imported one = imported("{x: {min: 0.0, max: 1.0}}",
                                  base::cat("early_terminate: {type: hyperband, ", keys, "}\n"));
    const std::size_t at = one.yaml.find("\nearly_stop: ") + 1;
    return base::cat(one.yaml.substr(at, one.yaml.find('\n', at) - at), " ",
                     std::ranges::count_if(one.notes.lines(), [](const std::string& line) {
                       return line.find("the brackets of") != std::string::npos;
                     }));
  };
  EXPECT_EQ(rule("max_iter: 27, s: 2"), "early_stop: {type: asha, min: 3, eta: 3, max: 27} 0");
  EXPECT_EQ(rule("max_iter: 10, s: 2"), "early_stop: {type: asha, min: 1, eta: 3, max: 9} 0");
  EXPECT_EQ(rule("max_iter: 10, s: 5"), "early_stop: {type: asha, min: 1, eta: 3, max: 9} 0");
  EXPECT_EQ(rule("max_iter: 50, s: 2"), "early_stop: {type: asha, min: 5, eta: 3, max: 45} 1");
  EXPECT_EQ(rule("min_iter: 4, eta: 2"), "early_stop: {type: asha, min: 4, eta: 2} 0");
  const Imported slow = imported("{x: {min: 0.0, max: 1.0}}",
                                 "early_terminate: {type: hyperband, min_iter: 2, eta: 1.5}\n");
  EXPECT_TRUE(leaves(slow, "eta 1.5 of early_terminate became eta 2"));
}

TEST(WandbSweep, AMethodIsOneOfTheirs) {
  EXPECT_EQ(refusal("method: bays\nmetric: {name: loss}\nparameters: {x: {values: [1, 2]}}\n"),
            R"(sweep.yaml:1:9: the method is "bays", expected bayes, random or grid; did you mean )"
            R"('bayes'?)");
}

TEST(WandbSweep, NamesWhatAProgramWouldSeeOtherwise) {
  EXPECT_TRUE(leaves(imported("{x: {values: [1, 2.5]}}"),
                     "ints among floats of x became floats; a program gets 1.0 for 1"));
  EXPECT_FALSE(leaves(imported("{x: {values: [1, 2]}}"),
                      "ints among floats of x became floats; a program gets 1.0 for 1"));
  EXPECT_TRUE(leaves(imported("{x: {values: [1, 2]}}", "name: my sweep\n"),
                     "renamed my sweep to my-sweep"));
  const Imported half = imported("{x: {min: 0, max: 1, q: 0.5, distribution: q_uniform}}");
  EXPECT_NE(half.yaml.find("min: 0.0,"), std::string::npos) << half.yaml;
  const Imported beta = imported("{x: {distribution: beta, a: 2, b: 3}}");
  for (const std::string& line : beta.notes.lines())
    EXPECT_EQ(line.find("no such key"), std::string::npos) << line;
}

TEST(WandbSweep, ARuleOfAnotherTypeIsRefused) {
  const auto with_rule = [](const char* rule) {
    return refusal(sweep("{x: {min: 0.0, max: 1.0}}", base::cat("early_terminate: ", rule, "\n")));
  };
  EXPECT_EQ(with_rule("{type: foo}"),
            R"(sweep.yaml:5:25: early_terminate.type is "foo", expected hyperband)");
  EXPECT_EQ(with_rule("{type: hyperbnad, min_iter: 3}"),
            R"(sweep.yaml:5:25: early_terminate.type is "hyperbnad", expected hyperband)");
  EXPECT_EQ(with_rule("{min_iter: 3}"),
            "sweep.yaml:5:18: early_terminate has no type, expected hyperband");
  EXPECT_EQ(
      with_rule("{type: hyperband}"),
      "sweep.yaml:5:18: early_terminate has neither min_iter nor max_iter, expected one of them");
  EXPECT_EQ(with_rule("hyperband"),
            R"(sweep.yaml:5:18: early_terminate is "hyperband", expected {type: hyperband, ...})");
  const Imported made =
      imported("{x: {min: 0.0, max: 1.0}}",
               "early_terminate: {type: hyperband, strict: true, mni_iter: 3, min_iter: 3}\n");
  EXPECT_TRUE(leaves(made, "early_terminate.strict: true")) << made.yaml;
  EXPECT_TRUE(leaves(made, "early_terminate.mni_iter: 3")) << made.yaml;
}

TEST(WandbSweep, AGoalIsOneOfTwoWords) {
  const auto with_goal = [](const char* goal) {
    return refusal(base::cat("method: random\nmetric: {name: loss, goal: ", goal,
                             "}\nparameters: {x: {values: [1, 2]}}\n"));
  };
  EXPECT_EQ(with_goal("down"),
            R"(sweep.yaml:2:28: the goal of loss is "down", expected minimize or maximize)");
  EXPECT_EQ(
      with_goal("maximise"),
      "sweep.yaml:2:28: the goal of loss is \"maximise\", expected minimize or maximize; did you "
      "mean 'maximize'?");
  EXPECT_TRUE(with_goal("[minimize]").starts_with("sweep.yaml:2:28: the goal of loss is a list"));
  EXPECT_TRUE(with_goal("minimize").starts_with("made: ")) << with_goal("minimize");
}

TEST(WandbSweep, NamesKeysThatStandBesideOthers) {
  const Imported made = imported(
      "{a: {values: [1, 2], min: 0, max: 9}, b: {value: 1, values: [1, 2]}, c: {mu: 0, sigma: 1, "
      "distribution: normal, min: 3}, d: {min: 0.0, max: 1.0, sigma: 2}, e: {values: [1, 2], "
      "distribution: uniform}, f: {values: [1, 2], distribution: categorical, probabilities: [0.5, "
      "0.5]}, g: {value: 3, distribution: constant}, h: {distribution: beta, a: 1}}");
  for (const char* line :
       {"min of a: ignored because of values", "max of a: ignored because of values",
        "values of b: ignored because of value", "min of c: ignored because of mu and sigma",
        "sigma of d: ignored because of min and max",
        "distribution of e: ignored because of values"})
    EXPECT_TRUE(leaves(made, line)) << line << "\n" << made.yaml;
  for (const char* line : {" of f: ignored", " of g: ignored", " of h: ignored", "mu of c: "})
    EXPECT_FALSE(leaves(made, line)) << line << "\n" << made.yaml;
}

TEST(WandbSweep, IntsHaveEndsThatAreInts) {
  EXPECT_EQ(refusal(sweep("{x: {min: 1.5, max: 4, distribution: int_uniform}}")),
            "sweep.yaml:4:23: min is 1.5, expected an int, as int_uniform says");
  EXPECT_EQ(refusal(sweep("{x: {min: 1, max: 4.25, distribution: int_uniform}}")),
            "sweep.yaml:4:31: max is 4.25, expected an int, as int_uniform says");
  EXPECT_EQ(study("{x: {min: 1.0, max: 4, distribution: int_uniform}}").space.find("x")->domain,
            Domain(IntRange{.min = 1, .max = 4}));
}

TEST(WandbSweep, NormalDistributionsAreBeliefs) {
  const auto range = std::get<FloatRange>(
      study("{x: {mu: -3, sigma: 0.5, distribution: log_normal}}").space.find("x")->domain);
  EXPECT_EQ(range.scale, Scale::log);
  EXPECT_DOUBLE_EQ(range.prior->mean, std::exp(-3));
  EXPECT_DOUBLE_EQ(range.prior->deviation, std::exp(0.5));
  const auto inverse = std::get<FloatRange>(
      study("{x: {min: 1, max: 2, distribution: inv_log_uniform}}").space.find("x")->domain);
  EXPECT_DOUBLE_EQ(inverse.min, std::exp(-2));
  EXPECT_DOUBLE_EQ(inverse.max, std::exp(-1));
}

TEST(WandbSweep, TextsStandForThemselves) {
  const StudySpec spec =
      study(R"({x: {values: ['$HOME', 'a\b', "1", 1, 1]}, y: {min: 2, max: 2}})");
  const std::vector<ParamValue> expected{std::string("$HOME"), std::string("a\\b"),
                                         std::string("1"), std::int64_t{1}};
  EXPECT_EQ(std::get<Choice>(spec.space.find("x")->domain).values, expected);
  EXPECT_EQ(spec.space.find("y")->domain, Domain(Constant{std::int64_t{2}}));
}

TEST(WandbSweep, AProgramHearsTheNamesThatItKnows) {
  const std::string parameters = "parameters: {a.b: {values: [1, 2]}, c: {value: 3}}\n";
  const auto command = [&](const std::string& words) {
    const std::string yaml = import_wandb("method: random\nprogram: t.py\nmetric: {name: loss}\n" +
                                              parameters + "command: [" + words + "]\n",
                                          "sweep.yaml")
                                 .yaml;
    const std::size_t from = yaml.find("command: ");
    return yaml.substr(from + 9, yaml.find('\n', from) - from - 9);
  };
  EXPECT_EQ(command("x, '${args}'"), R"(["x", "--a.b=${a_b}", "$args"])");
  EXPECT_EQ(command("x, '${args_no_hyphens}'"), R"(["x", "a.b=${a_b}", "c=${c}"])");
  EXPECT_EQ(command("x, '${args_no_equals}'"), R"(["x", "--a.b", "$a_b", "--c", "$c"])");
  EXPECT_EQ(command("x, '${args_append_hydra}'"), R"(["x", "+a.b=${a_b}", "+c=${c}"])");
  EXPECT_EQ(command("x, '${args_override_hydra}'"), R"(["x", "++a.b=${a_b}", "++c=${c}"])");
  EXPECT_EQ(command("accelerate, launch, '${program}', '${args_no_boolean_flags}'"),
            R"(["accelerate", "launch", "t.py", "--a.b=${a_b}", "$args_flags"])");
  EXPECT_TRUE(leaves(imported("{x: {values: [1, 2]}}", "command: [no-such-program]\n"),
                     "the program no-such-program: it is not here"));
  EXPECT_EQ(command("'${env}', A=1, x, '${args}'"),
            R"(["/usr/bin/env", "A=1", "x", "--a.b=${a_b}", "$args"])");
  EXPECT_EQ(command("'${env}', x, '${args}'"), R"(["x", "--a.b=${a_b}", "$args"])");
  EXPECT_TRUE(leaves(imported("{x: {values: [1, 2]}}", "command: [p, '/d/${envvar:X}/e']\n"),
                     "environment variables are not inserted"));
  EXPECT_EQ(command("x"), R"(["x", "$no_args"])");
  EXPECT_EQ(command("x, --json, '${args_json_file}'"), R"(["x", "--json", "$params_file"])");
  EXPECT_EQ(command("x, '${args_json}'"), R"(["x", "$params_json"])");
  EXPECT_TRUE(leaves(imported("{a.b: {values: [1, 2]}}", "command: [p, '${args_json}']\n"),
                     "not carried over: the name a.b in $params_json: it is a_b there"));
}

TEST(WandbSweep, ATargetEndsTheStudy) {
  const std::string head = "method: random\nprogram: t.py\nparameters: {x: {min: 0.0, max: 1.0}}\n";
  const auto limits = [&](const std::string& more) {
    const Imported made = import_wandb(head + more, "sweep.yaml");
    EXPECT_FALSE(leaves(made, "target")) << made.yaml;
    return study_made(made.yaml, "sweep.yaml", "study.yaml").limits;
  };
  const Limits both = limits("run_cap: 7\nmetric: {name: loss, target: 0.25}\n");
  EXPECT_EQ(both.target, 0.25);
  EXPECT_EQ(both.trials, 7);
  EXPECT_EQ(limits("metric: {name: loss, goal: maximize, target: 3}\n").target, 3.0);
  const Imported several =
      import_wandb(head + "metrics: [{name: a, target: 1}, {name: b}]\n", "sweep.yaml");
  EXPECT_TRUE(leaves(several, "metric.target: 1")) << several.yaml;
}

TEST(WandbSweep, SeveralMetricsAreSearchedForByWhatCan) {
  const std::string file =
      "method: bayes\nprogram: t.py\nmetrics: [{name: loss}, {name: f/1, goal: maximize}]\n"
      "parameters: {x: {min: 0.0, max: 1.0}}\n";
  const Imported made = import_wandb(file, "sweep.yaml");
  const StudySpec spec = study_made(made.yaml, "sweep.yaml", "study.yaml");
  EXPECT_EQ(spec.method.kind, "tpe");
  EXPECT_TRUE(leaves(made, "method bayes became method tpe")) << made.yaml;
  ASSERT_EQ(spec.others.size(), 1U);
  EXPECT_EQ(spec.others[0].name, "f/1");
  EXPECT_EQ(spec.others[0].goal, Goal::maximize);
  EXPECT_EQ(refusal("method: bayes\nmetrics: [{goal: maximize}]\nparameters: {x: {value: 1}}\n"),
            "sweep.yaml:2:11: a metric has no name, expected {name: ..., goal: ...}");
}

TEST(WandbSweep, TakesWhatPythonMakesOfListsAndNothing) {
  const StudySpec spec = study("{x: {values: [[64, a], [true, null]]}, y: {value: null}}");
  const std::vector<ParamValue> expected{std::string("[64, 'a']"), std::string("[True, None]")};
  EXPECT_EQ(std::get<Choice>(spec.space.find("x")->domain).values, expected);
  EXPECT_EQ(spec.space.find("y")->domain, Domain(Constant{std::string("None")}));
  EXPECT_EQ(refusal(sweep("{x: {values: [{a: 1}]}}")),
            "sweep.yaml:4:27: a value is a map, expected a scalar or a list of scalars");
  EXPECT_EQ(refusal(sweep("{x: {distribution: categorical}}")), "sweep.yaml:4:17: x has no values");
}

TEST(WandbSweep, ATagOfANumberSaysNothingNew) {
  EXPECT_EQ(study("{x: {min: !!float 1e-5, max: !!float 1}}").space.find("x")->domain,
            Domain(FloatRange{.min = 1e-5, .max = 1}));
}

TEST(WandbSweep, TakesTheLastOfKeysThatRepeat) {
  const Imported made = import_wandb(
      "program: p.py\nmetric: {name: a}\nmethod: random\nmetric:\n  name: b\n  goal: maximize\n"
      "parameters:\n  x: {min: 0, max: 1, min: 0.5}\n  y: {value: 1}\n  x: {values: [3, 4]}\n",
      "sweep.yaml");
  EXPECT_NE(made.yaml.find("metric: {name: \"b\", goal: maximize}"), std::string::npos);
  EXPECT_NE(made.yaml.find("x: {values: [3, 4]}"), std::string::npos) << made.yaml;
  EXPECT_EQ(made.yaml.find("0.5"), std::string::npos);
  EXPECT_TRUE(leaves(made,
                     "metric in line 2 became metric in line 4; W&B takes the last of the "
                     "keys that repeat"));
  EXPECT_TRUE(leaves(made, "x in line 8 became x in line 10"));
}

}  // namespace
}  // namespace hpo
