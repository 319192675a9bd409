#include <algorithm>
#include <array>

#include "cli/verb.h"

namespace cli {

namespace {

constexpr std::array kLines{
    VerbLine{"sweep", "FILE", "run a study; run it again and it continues", Program::engine},
    VerbLine{"train", "FILE", "train one network", Program::engine},
    VerbLine{"predict", "MODEL DATA", "what a network says about a table", Program::engine},
    VerbLine{"check", "FILE", "check a study file without running it", Program::engine},
    VerbLine{"plan", "FILE", "what a study would run, and what that costs", Program::engine},
    VerbLine{"status", "RUN", "how a study stands", Program::reader},
    VerbLine{"trials", "RUN", "every trial with its value and parameters", Program::reader},
    VerbLine{"show", "RUN TRIAL", "one trial in full", Program::engine},
    VerbLine{"best", "RUN", "the best trial and its network", Program::reader},
    VerbLine{"importance", "RUN", "how much each parameter matters", Program::engine},
    VerbLine{"report", "RUN...", "a study as a page for a browser, or several side by side",
             Program::engine},
    VerbLine{"serve", "[RUN|DIR]", "studies as pages in a browser, while they run", Program::serve},
    VerbLine{"export", "RUN", "the trials as csv or json, or the best network as onnx",
             Program::reader},
    VerbLine{"import", "FILE", "a sweep of W&B or a study of Optuna, as a study file",
             Program::engine},
    VerbLine{"rerun", "RUN TRIAL", "one trial again, by hand; nothing in the study changes",
             Program::engine},
    VerbLine{"stop", "RUN", "ask a running study to stop; it can be continued", Program::reader},
    VerbLine{"doctor", "", "what this machine offers, and what is wrong with it", Program::engine},
    VerbLine{"bench", "[NAME]", "measure this machine and Trellis on it", Program::bench},
    VerbLine{"test", "", "build and run the test suites", Program::reader},
    VerbLine{"ask", "RUN|FILE", "the next trial of a study that others run", Program::reader, true},
    VerbLine{"tell", "RUN TRIAL [VALUE]", "what came of such a trial", Program::reader, true},
    VerbLine{"keep", "RUN|FILE", "own the log of such a study, for all who ask and tell",
             Program::engine, true},
    VerbLine{"agent", "RUN", "run tasks of a study for its driver", Program::engine, true},
    VerbLine{"ticket", "RUN|FILE", "what lets an agent join a study: a secret", Program::engine,
             true},
    VerbLine{"member", "", "train a network with the process that started this one",
             Program::engine, true},
    VerbLine{"solver", "", "propose and stop trials for other programs: kurobako's protocol",
             Program::reader, true},
    VerbLine{"simulate", "FILE", "a study on a machine that is not there, and how to place it",
             Program::engine, true},
    VerbLine{"schema", "", "the study file as a JSON schema, for editors", Program::engine, true},
    VerbLine{"completion", "SHELL", "a script that completes verbs, options and studies",
             Program::reader, true},
};

}  // namespace

std::span<const VerbLine> verb_lines() { return kLines; }

const VerbLine* find_verb_line(std::string_view name) {
  auto found = std::ranges::find(kLines, name, &VerbLine::name);
  return found == kLines.end() ? nullptr : &*found;
}

}  // namespace cli
