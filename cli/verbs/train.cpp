#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/summary.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/interrupt.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

/// The one set of params of a file without parameters, or what --set and --trial name.
hpo::Params chosen_params(const Arguments& arguments, const hpo::StudySpec& study) {
  hpo::Params params;
  if (arguments.has("--trial")) {
    std::string word = arguments.text("--trial");
    std::size_t colon = word.rfind(':');
    auto number = colon == std::string::npos ? std::nullopt : rt::parse_int(word.substr(colon + 1));
    if (!number || *number < 0)
      throw rt::Error(rt::Errc::usage, rt::cat("--trial: '", word, "', expected RUN:NUMBER"));
    hpo::StudyReader run(hpo::find_run(word.substr(0, colon), runs_folder(arguments)));
    auto trial = run.trial(static_cast<std::uint64_t>(*number));
    if (!trial)
      throw rt::Error(rt::Errc::usage,
                      rt::cat("--trial: no trial ", *number, " in ", word.substr(0, colon)));
    params = trial->params;
  }
  for (const std::string& word : arguments.texts("--set")) {
    std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw rt::Error(rt::Errc::usage, rt::cat("--set: '", word, "', expected NAME=VALUE"));
    params.set(word.substr(0, equals), hpo::parse_value(word.substr(equals + 1)));
  }
  std::string wrong = study.space.reason_outside(params);
  if (!wrong.empty())
    throw rt::Error(
        rt::Errc::usage,
        rt::cat(wrong, "; give every parameter with --set NAME=VALUE or --trial RUN:N"));
  return params;
}

}  // namespace

void declare_train(Arguments& arguments) {
  declare_run_options(arguments);
  arguments.option("--set", "NAME=VALUE", "a parameter of the file", true);
  arguments.option("--trial", "RUN:N", "the parameters of a trial; --set changes single ones");
}

int run_train(const Arguments& arguments) {
  hpo::StudySpec study = load_study(arguments);
  hpo::RunOptions options = run_options(arguments, study);
  hpo::Params params = chosen_params(arguments, study);
  hpo::Interrupts interrupts;
  options.interrupts = interrupts.count();
  ProgressDisplay display(study.name, study.metric.name.empty() ? "the metric" : study.metric.name,
                          study.metric.goal == hpo::Goal::maximize, arguments.has("--quiet"));
  hpo::TrainResult result = hpo::train_once(study, params, options, display);
  display.finish();
  std::string out = rt::cat(study.name, ": ", hpo::name_of(result.trial.state), " after ",
                            result.trial.epochs, " epochs\n");
  if (!result.trial.message.empty()) out += "  " + result.trial.message + "\n";
  for (const auto& [name, value] : result.trial.metrics)
    out += rt::cat("  ", name, " = ", rt::format_double(value), "\n");
  if (!result.model.empty()) out += rt::cat("  model: ", result.model.string(), "\n");
  print_result(out);
  return result.exit_code();
}

}  // namespace cli
