#include <algorithm>
#include <array>

#include "cli/verb.h"

namespace cli {

namespace {

constexpr std::array kLines{
    VerbLine{"sweep", "FILE", "run a study; run it again and it continues", true},
    VerbLine{"train", "FILE", "train one network", true},
    VerbLine{"predict", "MODEL DATA", "what a network says about a table", true},
    VerbLine{"check", "FILE", "check a study file without running it", true},
    VerbLine{"plan", "FILE", "what a study would run, and what that costs", true},
    VerbLine{"status", "RUN", "how a study stands", false},
    VerbLine{"trials", "RUN", "every trial with its value and parameters", false},
    VerbLine{"show", "RUN TRIAL", "one trial in full", true},
    VerbLine{"best", "RUN", "the best trial and its network", false},
    VerbLine{"importance", "RUN", "how much each parameter matters", true},
    VerbLine{"export", "RUN", "the trials as csv or json, or the best network as onnx", false},
    VerbLine{"import", "FILE", "a sweep of W&B or a study of Optuna, as a study file", true},
    VerbLine{"rerun", "RUN TRIAL", "one trial again, by hand; nothing in the study changes", true},
    VerbLine{"stop", "RUN", "ask a running study to stop; it can be continued", false},
    VerbLine{"doctor", "", "what this machine offers, and what is wrong with it", true},
    VerbLine{"bench", "[NAME]", "measure this machine and Trellis on it", true},
    VerbLine{"test", "", "build and run the test suites", false},
    VerbLine{"ask", "RUN|FILE", "the next trial of a study that others run", false, true},
    VerbLine{"tell", "RUN TRIAL [VALUE]", "what came of such a trial", false, true},
    VerbLine{"keep", "RUN|FILE", "own the log of such a study, for all who ask and tell", true,
             true},
    VerbLine{"solver", "", "propose and stop trials for other programs: kurobako's protocol", false,
             true},
    VerbLine{"simulate", "FILE", "a study on a machine that is not there, and how to place it",
             true, true},
    VerbLine{"schema", "", "the study file as a JSON schema, for editors", true, true},
    VerbLine{"completion", "SHELL", "a script that completes verbs, options and studies", false,
             true},
};

}  // namespace

std::span<const VerbLine> verb_lines() { return kLines; }

const VerbLine* find_verb_line(std::string_view name) {
  auto found = std::ranges::find(kLines, name, &VerbLine::name);
  return found == kLines.end() ? nullptr : &*found;
}

}  // namespace cli
