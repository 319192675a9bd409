// From the canonical tree to the plain struct, and the rules between fields.

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <string>

#include "hpo/samplers/grid.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/asked.h"
#include "hpo/study/command.h"
#include "hpo/study/document.h"
#include "hpo/study/field.h"
#include "hpo/study/goals.h"
#include "hpo/study/gpus.h"
#include "hpo/study/points.h"
#include "hpo/study/population.h"
#include "hpo/study/scalars.h"
#include "hpo/study/stopping.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

std::optional<std::int64_t> optional_integer(const Node& root, std::string_view block,
                                             std::string_view key) {
  const Node* node = root.find_path({block, key});
  return node != nullptr ? std::optional(as_integer(*node)) : std::nullopt;
}

std::optional<double> optional_number(const Node& root, std::string_view block,
                                      std::string_view key) {
  const Node* node = root.find_path({block, key});
  return node != nullptr ? std::optional(as_number(*node)) : std::nullopt;
}

std::optional<double> optional_seconds(const Node& root, std::string_view block,
                                       std::string_view key) {
  const Node* node = root.find_path({block, key});
  return node != nullptr ? std::optional(as_seconds(*node)) : std::nullopt;
}

Retry read_retry(const Node& root) {
  if (root.find("retry") == nullptr) return {.max = 0};  // whoever asks tries again, or not
  Retry retry{.max = as_integer(*root.find_path({"retry", "max"})), .on = {}};
  for (const Node& cause : root.find_path({"retry", "on"})->items)
    retry.on.push_back(cause_of(cause.text).value());
  return retry;
}

std::int64_t read_max_epochs(const Node& root, const Space& space) {
  if (source_of_study(root) != "data") {
    return step_of_end(root).value_or(std::numeric_limits<std::int64_t>::max());
  }
  const Node& epochs = *root.find_path({"train", "epochs"});
  if (epochs.text.find('$') == std::string::npos) return as_integer(epochs);
  const References found = references(epochs);
  if (!found.whole)
    throw Fault(epochs.at,
                "train.epochs is a text with a parameter in it, expected an int or one $name");
  const Domain& domain = space.find(found.names[0])->domain;
  if (const auto* choice = std::get_if<Choice>(&domain)) {
    double most = 0;
    for (const ParamValue& value : choice->values) most = std::max(most, number_of(value).value());
    return static_cast<std::int64_t>(most);
  }
  return static_cast<std::int64_t>(number_of(from_unit(domain, 1)).value());
}

void check_split(const Node& root) {
  const Node* valid = root.find_path({"data", "split", "valid"});
  const Node* test = root.find_path({"data", "split", "test"});
  if (test == nullptr || as_number(*valid) + as_number(*test) < 1) return;
  throw Fault(
      test->at,
      base::cat("data.split.valid and data.split.test take all rows, expected a sum below 1"));
}

/// A network that is copied from another one goes on with the rows of that one.
void check_folds(const Node& root) {
  const Node* folds = root.find_path({"data", "folds"});
  if (folds == nullptr) return;
  const std::string& method = root.find("method")->find("type")->text;
  if (!is_population(method)) return;
  throw Fault(folds->at, base::cat("data.folds stands beside method: ", method,
                                   ", which goes on with one network, expected one of the two"));
}

void check_gpus(const Node& root) {
  const Node* border = root.find_path({"resources", "gpu_from"});
  if (border == nullptr || root.find_path({"resources", "gpus"})->text == "auto") return;
  throw Fault(border->at, base::cat("resources.gpu_from stands beside gpus: ",
                                    root.find_path({"resources", "gpus"})->text,
                                    ", expected gpus: auto beside it"));
}

/// The networks of a study share GPUs in equal parts; a program gets what it asks for.
void check_parts(const StudySpec& study, const Node& root) {
  const Node& gpus = *root.find_path({"resources", "gpus"});
  if (!parts_differ(gpus, study.space)) return;
  throw Fault(
      gpus.at,
      base::cat("resources.gpus is ", describe(gpus),
                ", which may be different parts of a GPU, but a study's networks share GPUs in "
                "equal parts, expected one part, beside which there may be 0"));
}

/// Where all trials have the same `gpus` it depends on the machine's GPUs what becomes of them, and
/// the study is read on every machine.
void check_precision(const StudySpec& study, const Node& root) {
  if (study.precision != kern::Precision::tf32) return;  // some cores have each other one
  const Node& gpus = *root.find_path({"resources", "gpus"});
  std::set<std::string, std::less<>> names;
  collect_names(gpus, names);
  if (names.empty() || !may_ask_for_cores(gpus, study.space)) return;
  throw Fault(gpus.at,
              base::cat("resources.gpus is ", describe(gpus),
                        ", which may be 0, but no core computes in precision ",
                        kern::precision_name(study.precision), ", expected a GPU for every trial"));
}

void check_rates(const Node& root) {
  const Node* lr = root.find_path({"train", "optimizer", "lr"});
  const Node* schedule = root.find_path({"train", "schedule"});
  if (lr == nullptr || !lr->is_list() || schedule == nullptr) return;
  throw Fault(
      schedule->at,
      "train.schedule stands beside an optimizer.lr that changes by itself, expected one of "
      "the two");
}

/// A search that is played through, run or asked to its end has one in sight.
void check_grid(const StudySpec& study, const Node& root) {
  if (study.method.kind != "grid" || study.limits.trials) return;
  const std::uint64_t points = study.space.grid_size().value();
  if (points > kMostGridPoints)
    throw Fault(root.find("method")->at,
                base::cat("this grid has ", points, " points, expected at most ", kMostGridPoints,
                          ", or limits.trials, which says how many of them are tried"));
}

void read_slots(StudySpec& study, const Node& root) {
  study.order = Order::arrival;
  if (study.is_asked) return;
  const Node& parallel = *root.find("parallel");
  study.parallel = parallel.text == "auto" ? 0 : as_integer(parallel);
  if (root.find("order")->text == "arrival") return;
  study.order = Order::virtual_time;
  if (study.parallel == 0) {
    throw Fault(parallel.at,
                "parallel is auto, expected a number with order: virtual, whose search must not "
                "depend on the machine");
  }
}

}  // namespace

void read_spec(StudySpec& study, const Node& checked) {
  const Node& name = *checked.find("name");
  study.name = unescape(name).text;
  if (!is_study_name(study.name)) {
    throw Fault(
        name.at,
        base::cat(
            "name is ", describe(name),
            ", expected 1 to 64 letters, digits, dots, underscores and dashes, beginning with a "
            "letter, digit or underscore"));
  }
  study.runs_command = source_of_study(checked) == "command";
  study.is_asked = source_of_study(checked) == "ask";
  study.seed = static_cast<std::uint64_t>(as_integer(*checked.find("seed")));
  read_goals(study, checked);
  if (const Node* points = checked.find("try_first"))
    study.try_first = read_points(*points, study.space);
  study.method = read_chosen(*checked.find("method"), sampler_kinds());
  read_stopping(study, checked);
  study.max_epochs = read_max_epochs(checked, study.space);
  read_slots(study, checked);
  study.limits = {.trials = optional_integer(checked, "limits", "trials"),
                  .time = optional_seconds(checked, "limits", "time"),
                  .trial_time = optional_seconds(checked, "limits", "trial_time"),
                  .failed = optional_integer(checked, "limits", "failed"),
                  .target = optional_number(checked, "limits", "target"),
                  .patience = optional_integer(checked, "limits", "patience"),
                  .weights = optional_integer(checked, "limits", "weights"),
                  .no_progress = optional_seconds(checked, "limits", "no_progress")};
  if (study.is_asked) {
    check_asked(study, checked);
  } else if (study.runs_command) {
    study.limits.grace = as_seconds(*checked.find_path({"limits", "grace"}));
    study.limits.log = as_bytes(*checked.find_path({"limits", "log"}));
    check_command(checked);
  } else {
    study.precision = kern::precision_from_name(checked.find("precision")->text).value();
    study.checkpoint_overhead = as_share(*checked.find_path({"checkpoint", "overhead"}));
    study.store_budget = as_bytes(*checked.find_path({"store", "budget"}));
    check_parts(study, checked);
  }
  study.retry = read_retry(checked);

  check_split(checked);
  check_rates(checked);
  check_folds(checked);
  check_gpus(checked);
  check_precision(study, checked);
  check_stopping(study, checked);
  read_population(study, checked);
  const std::string refusal = sampler_refuses(study.method.kind, study.space, study.method.options);
  if (!refusal.empty()) throw Fault(checked.find("method")->at, refusal);
  check_grid(study, checked);
}

}  // namespace hpo::study
