// What a program of an imported W&B sweep is given, and where it runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "hpo/import/wandb.h"
#include "hpo/study/config_names.h"
#include "hpo/study/node.h"
#include "tests/support/temp_folder.h"

namespace hpo::wandb_programs {
namespace {

bool says(const Imported& made, const std::string& words) {
  return std::ranges::any_of(made.notes.lines(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

std::string sweep(const std::string& parameters, const std::string& more = "") {
  return base::cat("program: train.py\nmethod: random\nmetric: {name: loss, goal: minimize}\n",
                   "parameters: ", parameters, "\n", more);
}

/// What stands behind the word that begins a line of the study file.
std::string behind(const Imported& made, const std::string& word) {
  const std::string text = "\n" + made.yaml, begin = "\n" + word;
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find('\n', from) - from);
}

Imported imported(const std::string& parameters, const std::string& more = "") {
  return import_wandb(sweep(parameters, more), "sweep.yaml");
}

TEST(WandbProgram, HearsTrueAndFalseAsPythonSaysThem) {
  const Imported made =
      imported("{a: {values: [true, false]}, b: {value: yes}, c: {values: [On, 3, x]}}");
  EXPECT_EQ(behind(made, "  a: "), R"({values: ["True", "False"]})");
  EXPECT_EQ(behind(made, "  b: "), R"({value: "True"})");
  EXPECT_EQ(behind(made, "  c: "), R"({values: ["True", 3, x]})");
  EXPECT_FALSE(says(made, "of a")) << "nothing is lost";
  EXPECT_EQ(behind(imported("{a: {values: ['true', true]}}"), "  a: "),
            R"({values: ["true", "True"]})")
      << "a text is one";
}

TEST(WandbProgram, HasFlagsWithoutValuesWhereTheSweepSaysSo) {
  const std::string command = "command: [sh, '${args_no_boolean_flags}']\n";
  const Imported made = imported(
      "{amp: {values: [true, false]}, net.bias: {value: true}, lr: {value: 0.5}, "
      "mode: {values: [true, fast]}}",
      command);
  EXPECT_EQ(behind(made, "command: "), R"(["sh", "${net_bias?--net.bias}", "$args_flags"])");
  EXPECT_EQ(behind(made, "  amp: "), "{values: [true, false]}");
  EXPECT_EQ(behind(made, "  mode: "), R"({values: ["True", fast]})");
  const StudySpec study = study_made(made.yaml, "sweep.yaml", "study.yaml");
  EXPECT_EQ(study.command.node().items.size(), 5U) << "sh, net_bias, amp, lr and mode";
}

TEST(WandbProgram, WhoAsksGetsBools) {
  const Imported made = import_wandb(
      "method: grid\nmetric: {name: loss}\nparameters: {a: {values: [true, x]}}\n", "sweep.yaml");
  EXPECT_EQ(behind(made, "  a: "), "{values: [true, x]}");
}

TEST(WandbProgram, FindsItsParametersInAFile) {
  const Imported file = imported("{lr: {value: 0.5}, amp: {value: true}}",
                                 "command: [p, --config, '${args_json_file}']\n");
  EXPECT_EQ(behind(file, "command: "), R"(["p", "--config", "$params_file"])");
  EXPECT_EQ(behind(file, "  amp: "), "{value: true}") << "JSON has bools";
  EXPECT_FALSE(says(file, "params_file"));
  const Imported text = imported("{lr: {value: 0.5}}", "command: [p, '${args_json}']\n");
  EXPECT_EQ(behind(text, "command: "), R"(["p", "$params_json"])");
  const Imported none = imported("{lr: {value: 0.5}}", "command: [p, --fast]\n");
  EXPECT_EQ(behind(none, "command: "), R"(["p", "--fast", "$no_args"])");
  EXPECT_EQ(behind(none, "library: "), "wandb") << "wandb.config has the parameters";
}

TEST(WandbProgram, NotesAreSaidOnceAndSayWhatWasCarriedOver) {
  const Imported made =
      imported("{a.b: {values: [1, 1, 1]}, c: {values: [[1], [1]]}}", "entity: lab\n");
  std::vector<std::string> lines = made.notes.lines();
  std::ranges::sort(lines);
  EXPECT_EQ(std::ranges::adjacent_find(lines), lines.end());
  for (const std::string& line : lines) {
    EXPECT_TRUE(line.find(" became ") != line.npos || line.starts_with("renamed ") ||
                line.starts_with("not carried over: "))
        << line;
    EXPECT_NE(made.yaml.find("# " + line + "\n"), std::string::npos) << line;
  }
  EXPECT_TRUE(says(made, "renamed a.b to a_b"));
  EXPECT_TRUE(says(made, "not carried over: entity: \"lab\""));
}

/// A repository with a sweep file and a program, in some of its folders.
class WandbPlaces : public testing::Test {
 protected:
  void put(const std::string& path) const {
    const base::Path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "";
  }
  [[nodiscard]] Imported made(const std::string& text, const std::string& sweep,
                              const std::string& working, const std::string& study) const {
    for (const std::string& each : {sweep, working, study})
      std::filesystem::create_directories(folder_ / each);
    return import_wandb(text, "sweep.yaml",
                        {.sweep = (folder_ / sweep).lexically_normal(),
                         .working = (folder_ / working).lexically_normal(),
                         .study = (folder_ / study).lexically_normal()});
  }
  static std::string running(const std::string& program, const std::string& more = "") {
    return base::cat("program: ", program, "\nmethod: random\nmetric: {name: loss}\n",
                     "parameters: {x: {value: 1}}\n", more);
  }

  support::TempFolder folder_;
};

TEST_F(WandbPlaces, TheProgramIsLookedForInThreeFolders) {
  put("repo/.git/HEAD");
  put("repo/src/train.py");
  const Imported root = made(running("src/train.py"), "repo/a/configs", "repo/a", "repo/a/configs");
  EXPECT_EQ(behind(root, "folder: "), "\"../..\"") << root.yaml;
  EXPECT_TRUE(says(root, "the folder in which W&B starts src/train.py became folder: \"../..\""));
  put("repo/a/src/train.py");
  EXPECT_EQ(behind(made(running("src/train.py"), "repo/a/configs", "repo/a", "repo/a/configs"),
                   "folder: "),
            "\"..\"")
      << "where the import is called goes before the root";
  put("repo/a/configs/src/train.py");
  EXPECT_EQ(behind(made(running("src/train.py"), "repo/a/configs", "repo/a", "repo/a/configs"),
                   "folder: "),
            "")
      << "beside the study file";
  EXPECT_EQ(
      behind(made(running("src/train.py"), "repo/a/configs", "repo/a", "elsewhere"), "folder: "),
      "\"../repo/a/configs\"");
}

TEST_F(WandbPlaces, OfOneThatIsNowhereThatIsSaid) {
  const Imported none = made(running("gone.py"), "a", "b", "a");
  EXPECT_EQ(behind(none, "folder: "), "");
  EXPECT_TRUE(
      says(none, "not carried over: the folder in which W&B starts gone.py: it is not in "));
  put("b/there.py");
  EXPECT_FALSE(
      says(made(running("there.py"), "a", "b", "a"), "not carried over: the folder in which"));
}

TEST_F(WandbPlaces, AFolderOfTheRepositoryThatAloneHasItIsAGuess) {
  put("repo/.git/HEAD");
  put("repo/src/ml/train.py");
  put("repo/.hidden/train.py");
  put("repo/venv/train.py");
  const Imported one = made(running("train.py"), "repo/sweeps", "repo", "repo/sweeps");
  EXPECT_EQ(behind(one, "folder: "), "\"../src/ml\"");
  EXPECT_TRUE(says(one,
                   "the folder in which W&B starts train.py became folder: \"../src/ml\"; no other "
                   "folder of the repository has it"));
  EXPECT_EQ(behind(made(running("x.py", "command: [python3, -m, ml.train, '${args}']\n"),
                        "repo/sweeps", "repo", "repo/sweeps"),
                   "folder: "),
            "\"../src\"");
  put("repo/old/train.py");
  const Imported two = made(running("train.py"), "repo/sweeps", "repo", "repo/sweeps");
  EXPECT_EQ(behind(two, "folder: "), "");
  EXPECT_TRUE(says(two, "not carried over: the folder in which W&B starts train.py"));
}

TEST_F(WandbPlaces, APathOfAnotherMachineEndsInAFileOfThisOne) {
  put("repo/.git/HEAD");
  put("repo/src/train.py");
  put("repo/train.py");
  const auto end_of = [&](const std::string& program) {
    const Imported one = made(running(program), "repo/sweeps", "repo", "repo/sweeps");
    EXPECT_EQ(behind(one, "folder: "), "\"..\"") << program;
    const std::string words = behind(one, "command: "), begin = "[\"python3\", \"";
    EXPECT_TRUE(words.starts_with(begin)) << words;
    const std::string end =
        words.substr(begin.size(), words.find('"', begin.size()) - begin.size());
    const std::string note =
        base::cat("the program ", program, " became ", end, "; it is not here");
    EXPECT_EQ(says(one, note), program != end) << words;
    return end;
  };
  EXPECT_EQ(end_of("/project/src/train.py"), "src/train.py");
  EXPECT_EQ(end_of("/srv/ann/repo/train.py"), "train.py");
  EXPECT_EQ(end_of("C:\\Users\\ann\\repo\\src\\train.py"), "src/train.py");
  EXPECT_EQ(end_of(".\\train.py"), "train.py");
  EXPECT_EQ(end_of("src\\train.py"), "src/train.py");
  EXPECT_EQ(end_of("src/train.py"), "src/train.py") << "it is here";
  const Imported words = made(running("x.py", "command: [bash, /srv/a/run.sh, '${args}']\n"),
                              "repo/sweeps", "repo", "repo/sweeps");
  EXPECT_EQ(behind(words, "command: "), R"(["bash", "/srv/a/run.sh", "$args"])") << "nowhere";
}

TEST_F(WandbPlaces, AMissingMetricIsOneThatTheScriptLogs) {
  const auto metric = [&](const std::string& script) {
    put("train.py");
    std::ofstream(folder_ / "train.py") << script;
    const Imported one =
        made("program: train.py\nmethod: grid\nparameters: {x: {value: 1}}\n", ".", ".", ".");
    EXPECT_TRUE(says(one, "the missing metric became metric "));
    return behind(one, "metric: ");
  };
  EXPECT_EQ(metric("wandb.log({'epoch': e, \"val_loss\": float(d['loss'])})\n"),
            R"({name: "val_loss", goal: minimize})");
  EXPECT_EQ(metric("run.log(\n    {\n        'epoch': 3,\n        'Test Acc': acc,\n    })\n"),
            R"({name: "Test Acc", goal: maximize})");
  EXPECT_EQ(metric("wandb.log({\"metric\": m})\n"), R"({name: "metric", goal: minimize})");
  EXPECT_EQ(metric("# wandb.log({'a': 1})\nwandb.log({'b': {'c': 1}, 'd': [1]})\n"),
            R"({name: "b", goal: minimize})");
  EXPECT_EQ(metric("run.log(dict(step=f(a=1), rmse=[2, 3], b=4))\n"),
            R"({name: "rmse", goal: minimize})");
  for (const char* none : {"wandb.log(dict(m))\n", "wandb.log(metrics)\n", "wandb.log({name: 1})\n",
                           "wandb.log({'a\n", ""})
    EXPECT_EQ(metric(none), "{name: loss, goal: minimize}") << none;
  EXPECT_EQ(metric("wandb.log({'epoch': e, 'train/global_step': s, 'lr': 1, 'perplexity': p})\n"),
            R"({name: "perplexity", goal: minimize})")
      << "nobody searches for an epoch";
}

TEST_F(WandbPlaces, CountersAndSettingsAreNoMetric) {
  put("train.py");
  std::ofstream(folder_ / "train.py")
      << "wandb.log({'epoch': e, '_step': s, 'Learning_Rate': lr, 'time': t})\n";
  try {
    (void)made("program: train.py\nmethod: grid\nparameters: {x: {value: 1}}\n", ".", ".", ".");
    FAIL() << "nothing in there can be searched for";
  } catch (const base::Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "sweep.yaml:1:1: the metric is missing, and the script logs only epoch, _step, "
              "Learning_Rate, time; expected metric: {name: NAME, goal: minimize or maximize} in "
              "this file");
  }
}

TEST_F(WandbPlaces, WithoutARepositoryNobodyLooksBelow) {
  put("a/src/train.py");
  EXPECT_EQ(behind(made(running("train.py"), "a", "a", "a"), "folder: "), "");
}

TEST(WandbSections, ASweepWithinAFileIsFound) {
  const std::string text =
      "project: p\nsweep:\n  program: t.py\n  method: random\n  metric: {name: loss}\n"
      "  parameters: {x: {values: [1, 2]}}\n";
  const Imported made = import_wandb(text, "s.yaml");
  EXPECT_EQ(behind(made, "  x: "), "{values: [1, 2]}");
  EXPECT_TRUE(says(made, "the section sweep in line 2 became the study"));
  EXPECT_TRUE(says(made, "not carried over: project: \"p\""));
  const Imported other =
      import_wandb("wandb_sweep: {method: grid, parameters: {x: {values: [1, 2]}}}\n", "s.yaml");
  EXPECT_EQ(behind(other, "method: "), "grid");
  try {
    (void)import_wandb(
        "a: {method: grid, parameters: {x: {value: 1}}}\n"
        "b: {method: grid, parameters: {x: {value: 1}}}\n",
        "s.yaml");
    FAIL() << "nobody knows which";
  } catch (const base::Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "s.yaml:1:1: this file has several sweeps, expected one in a file of its own");
  }
}

TEST_F(WandbPlaces, ModulesAndScriptsOfOtherStartersAreFoundToo) {
  put("repo/.git/HEAD");
  put("repo/pkg/fit.py");
  put("repo/tool/__main__.py");
  put("repo/run/go.sh");
  for (const char* command :
       {"command: [python3, -m, pkg.fit, '${args}']\n", "command: [python3, -m, tool, '${args}']\n",
        "command: [bash, run/go.sh, '${args}']\n",
        "command: [python3, -m, torch.distributed.run, pkg/fit.py, '${args}']\n",
        "command: [accelerate, launch, pkg/fit.py, '${args}']\n"})
    EXPECT_EQ(
        behind(made(running("x.py", command), "repo/conf", "repo/conf", "repo/conf"), "folder: "),
        "\"..\"")
        << command;
}

TEST(WandbWords, AreReadAsPythonReadsThem) {
  const Imported made = imported(
      "{a: {values: [yes, no]}, n: {values: [1_000, 2_000]}, m: {values: [010, 020]}, "
      "t: {value: 1:30}, k: {values: ['010', '1_000']}, e: {values: [1e-3, 1e-4]}, z: {value: 08}}",
      "run_cap: 1_0\n");
  EXPECT_EQ(behind(made, "  a: "), R"({values: ["True", "False"]})");
  EXPECT_EQ(behind(made, "  n: "), "{values: [1000, 2000]}");
  EXPECT_EQ(behind(made, "  m: "), "{values: [8, 16]}");
  EXPECT_EQ(behind(made, "  t: "), "{value: 90}");
  EXPECT_EQ(behind(made, "  k: "), R"({values: ["010", "1_000"]})");
  EXPECT_EQ(behind(made, "  e: "), "{values: [0.001, 0.0001]}");
  EXPECT_EQ(behind(made, "  z: "), R"({value: "08"})");
  EXPECT_EQ(behind(made, "limits: "), "{trials: 10}");
  EXPECT_TRUE(says(made, "010 in line 4 became 8, as YAML 1.1 reads it"));
  EXPECT_TRUE(says(made, "yes in line 4 became True"));
  EXPECT_TRUE(says(made, "08 in line 4 became a string"));
  EXPECT_FALSE(says(made, "1e-3"));
}

TEST(WandbWords, BoundsAreReadSoToo) {
  const Imported made = imported("{x: {min: 1_0, max: 0x40}}");
  EXPECT_EQ(behind(made, "  x: "), "{type: int, min: 10, max: 64}");
}

TEST(WandbWords, MergeKeysStandForTheKeysOfOtherMaps) {
  const std::string text =
      "program: train.py\nmethod: random\nmetric: {name: loss}\n"
      "x-range: &range {min: 0.0, max: 1.0}\nx-log: &log {distribution: log_uniform_values, min: "
      "0.5}\n"
      "parameters:\n  a: {<<: *range}\n  b: {<<: *range, max: 2.0}\n  c: {<<: [*log, *range]}\n"
      "  d: *range\n";
  const Imported made = import_wandb(text, "sweep.yaml");
  EXPECT_EQ(behind(made, "  a: "), "{type: float, min: 0.0, max: 1.0}");
  EXPECT_EQ(behind(made, "  b: "), "{type: float, min: 0.0, max: 2.0}");
  EXPECT_EQ(behind(made, "  c: "), "{type: float, min: 0.5, max: 1.0, scale: log}");
  EXPECT_EQ(behind(made, "  d: "), "{type: float, min: 0.0, max: 1.0}");
  try {
    (void)import_wandb("method: random\nparameters: {a: {<<: 3}}\n", "sweep.yaml");
    FAIL() << "a number has no keys";
  } catch (const base::Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "sweep.yaml:2:22: merge key \"<<\" has 3, expected a map or a list of maps");
  }
}

TEST(WandbWords, AMetricMayBeANameAlone) {
  const Imported made = import_wandb(
      "program: t.py\nmethod: random\nmetric: val_acc\nparameters: {x: {value: 1}}\n", "s.yaml");
  EXPECT_EQ(behind(made, "metric: "), R"({name: "val_acc", goal: minimize})");
  EXPECT_TRUE(says(made, "metric val_acc, which has no goal, became one to minimize"));
  for (const auto& [text, name] : std::map<std::string, std::string>{
           {"val acc", "val acc"}, {"'best: f1'", "best: f1"}, {"loss/total", "loss/total"}}) {
    const Imported one = import_wandb(
        base::cat("program: t.py\nmethod: grid\nmetric: ", text, "\nparameters: {x: {value: 1}}\n"),
        "s.yaml");
    EXPECT_EQ(behind(one, "metric: "), base::cat("{name: \"", name, "\", goal: minimize}"));
    EXPECT_TRUE(says(one, base::cat("metric ", name, ", which has no goal, became")));
  }
  const Imported none =
      import_wandb("program: t.py\nmethod: random\nparameters: {x: {value: 1}}\n", "s.yaml");
  EXPECT_TRUE(says(none, "the missing metric became metric loss"));
}

TEST(WandbWords, ASweepWithoutALimitGetsOneThatIsNamed) {
  const auto named = [](const Imported& made) { return says(made, "the missing run_cap became "); };
  const Imported none = imported("{x: {min: 0.0, max: 1.0}}");
  EXPECT_TRUE(says(none,
                   "the missing run_cap became limits.trials 60; W&B goes on until it is stopped; "
                   "write how many trials are to run"));
  EXPECT_FALSE(named(imported("{x: {min: 0.0, max: 1.0}}", "run_cap: 9\n")));
  EXPECT_FALSE(named(import_wandb(
      "program: t.py\nmethod: grid\nmetric: {name: loss}\nparameters: {x: {values: [1, 2]}}\n",
      "s.yaml")))
      << "a grid ends by itself";
  EXPECT_FALSE(named(import_wandb(
      "method: random\nmetric: {name: loss}\nparameters: {x: {min: 0.0, max: 1.0}}\n", "s.yaml")))
      << "who asks for trials decides how many";
}

TEST(WandbWords, QuantisedNormalsHaveSteps) {
  const auto domain = [](const std::string& keys) {
    const Imported made = imported(base::cat("{x: {", keys, "}}"));
    EXPECT_FALSE(says(made, "q of x")) << made.yaml;
    return study_made(made.yaml, "sweep.yaml", "study.yaml").space.find("x")->domain;
  };
  EXPECT_EQ(domain("mu: 5, sigma: 2, distribution: q_normal"),
            Domain(IntRange{.min = -7, .max = 17, .prior = Normal{5, 2}}));
  EXPECT_EQ(domain("mu: 100, sigma: 10, q: 8, distribution: q_normal"),
            Domain(IntRange{.min = 40, .max = 160, .step = 8, .prior = Normal{100, 10}}));
  EXPECT_EQ(domain("mu: 0, sigma: 1, q: 0.5, distribution: q_normal"),
            Domain(FloatRange{.min = -6, .max = 6, .step = 0.5, .prior = Normal{0, 1}}));
  const auto log =
      std::get<IntRange>(domain("mu: 4, sigma: 0.5, q: 8, distribution: q_log_normal"));
  EXPECT_EQ(log.step, 8);
  EXPECT_EQ(log.min, 8);
  EXPECT_EQ(log.scale, Scale::log);
  EXPECT_DOUBLE_EQ(log.prior->mean, std::exp(4));
  EXPECT_TRUE(says(imported("{x: {mu: 0, sigma: 1, q: 0.5, distribution: q_log_normal}}"),
                   "not carried over: q of x"));
}

/// The notes of a sweep whose script has this text.
Imported with_script(const std::string& text) {
  const support::TempFolder folder;
  std::ofstream(folder.path() / "train.py") << text;
  const std::string file = folder.path() / "sweep.yaml";
  return import_wandb(sweep("{lr: {value: 0.5}}", "run_cap: 1\n"), file,
                      {.sweep = folder.path(), .working = folder.path(), .study = folder.path()});
}

TEST(WandbProgram, UsesItsLibraryUnlessItReportsToUs) {
  const std::string init = "import wandb\nwandb.init()\n";
  const Imported theirs = with_script(init + "wandb.log({'loss': wandb.config.lr})\n");
  EXPECT_EQ(behind(theirs, "library: "), "wandb");
  EXPECT_TRUE(theirs.notes.lines().empty()) << "nothing is otherwise here";
  EXPECT_EQ(behind(with_script("from lab import train\ntrain()\n"), "library: "), "wandb")
      << "what a module does is not looked at";
  const Imported ours = with_script(init + "wandb.log({})\nopen(os.environ['TRELLIS_METRICS'])\n");
  EXPECT_EQ(ours.yaml.find("library"), std::string::npos) << "it reports to both";
  const Imported asked = import_wandb("method: grid\nparameters: {x: {value: 1}}\n", "sweep.yaml");
  EXPECT_EQ(asked.yaml.find("library"), std::string::npos) << "there is no program";
}

TEST(WandbProgram, IsToldThatItsOwnSweepNeedsAServer) {
  const Imported made = with_script("import wandb\nwandb.agent(wandb.sweep({}), train)\n");
  EXPECT_TRUE(
      says(made, "not carried over: the sweep that train.py starts by itself (wandb.agent)"));
}

TEST(WandbProgram, GetsNestedAndRenamedParametersUnderItsOwnNames) {
  const Imported made = imported(
      "{lr: {value: 1}, net.bias: {value: 2}, model: {parameters: {lr: {value: 3}, "
      "deep: {parameters: {n: {value: 4}}}}}}");
  EXPECT_EQ(behind(made, "config_names: "),
            R"({net_bias: ["net.bias"], model_lr: ["model", "lr"], )"
            R"(model_deep_n: ["model", "deep", "n"]})");
  EXPECT_EQ(behind(made, "command: "),
            R"(["python3", "train.py", "--net.bias=${net_bias}", )"
            R"("--model={'lr': ${model_lr}, 'deep': {'n': ${model_deep_n}}}", "$args"])");
  EXPECT_EQ(
      behind(imported("{a: {parameters: {b: {values: [x, y]}, c: {value: true}}}}"), "command: "),
      R"(["python3", "train.py", "--a={'b': '${a_b}', 'c': ${a_c}}"])");
  const StudySpec study = study_made(made.yaml, "sweep.yaml", "study.yaml");
  EXPECT_EQ(config_names(study).at("model_deep_n"),
            (std::vector<std::string>{"model", "deep", "n"}));
}

}  // namespace
}  // namespace hpo::wandb_programs
