#include "hpo/import/optuna.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/import/names.h"
#include "hpo/import/optuna_conditions.h"
#include "hpo/import/optuna_domain.h"
#include "hpo/import/optuna_fit.h"
#include "hpo/log/metrics.h"
#include "hpo/study/spec.h"

namespace hpo {

namespace {

std::string names_of(const std::map<std::size_t, OptunaStudy>& studies) {
  return base::listed(studies,
                      [](const auto& study) { return base::printable(study.second.name, 60); });
}

std::size_t find_study(const std::map<std::size_t, OptunaStudy>& studies, const std::string& name,
                       const std::string& file) {
  if (name.empty() && studies.size() == 1) return studies.begin()->first;
  if (studies.empty())
    throw base::Error(base::Errc::data,
                      base::cat(base::printable(file, 4096), ": it holds no study"));
  const auto found =
      std::ranges::find_if(studies, [&](const auto& one) { return one.second.name == name; });
  if (name.empty() || found == studies.end())
    throw base::Error(
        base::Errc::data,
        base::cat(base::printable(file, 4096), ": ",
                  name.empty() ? "there are several studies" : "there is no such study",
                  ", expected one of ", names_of(studies), " with --study"));
  return found->first;
}

/// How many things have which name: "a (2), b (3)".
class Tally {
 public:
  void add(const std::string& name) { ++counts_[name]; }
  [[nodiscard]] bool empty() const { return counts_.empty(); }
  [[nodiscard]] std::string text() const {
    return base::listed(counts_, [](const auto& one) {
      return base::cat(base::printable(one.first, 60), " (", one.second, ")");
    });
  }

 private:
  std::map<std::string, std::size_t> counts_;
};

/// Makes our study out of the trials of one of theirs.
class OptunaImporter {
 public:
  /// `left_out`: what reading them left out already.
  OptunaImporter(const OptunaStudy& study, std::vector<const OptunaTrial*> trials,
                 const std::vector<std::string>& left_out)
      : study_(study), trials_(std::move(trials)) {
    for (const std::string& what : left_out) notes_.leave(what);
  }

  ImportedStudy run() {
    find_domains();
    fit_ = fit_space(trials_, std::move(order_), domains_);
    for (const std::string& name : fit_.order)
      if (changes_.contains(name)) note_change(name);
    for (const std::string& what : fit_.notes) notes_.leave(what);
    for (const std::string& name : fit_.order) names_.keep(name);
    find_first_step();
    std::string body = base::cat("metric: ", metrics(), "\n");
    body += bounds();  // whose names are none of the metrics'
    body += parameters();
    ImportedStudy out;
    for (const OptunaTrial* trial : trials_) {
      if (trial->ended()) ++out.ended;
      if (!fit_.foreign.contains(trial)) add(out, *trial);
    }
    body += first_points(body);
    name_the_rest();
    out.yaml = notes_.comments() + body;
    out.notes = notes_;
    return out;
  }

 private:
  /// What `read` returns, its refusals with the param's name.
  template <class Read>
  static auto of_param(const std::string& name, Read read) {
    try {
      return read();
    } catch (const base::Error& error) {
      throw base::Error(base::Errc::data,
                        base::cat("param ", base::printable(name, 60), " ", error.what()));
    }
  }

  std::string metrics() {
    std::string text;
    const std::size_t count = study_.directions.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::string name = count == 1 ? "value" : base::cat("value", i);
      if (study_.metrics.size() == count) name = study_.metrics[i];
      (void)bounded_.ours(name);  // no bound may be called so
      metrics_.insert(name);
      text += base::cat(i == 0 ? "" : ", ", "{name: ", OptunaDomain::yaml_of(name),
                        ", goal: ", study_.directions[i] == 2 ? "maximize" : "minimize", "}");
    }
    return count == 1 ? text : base::cat("[", text, "]");
  }

  const std::string& bound_name(const std::string& theirs) {
    return bounded_.ours(metrics_.contains(theirs) ? base::cat("constraint_", theirs) : theirs);
  }

  /// Theirs are kept by up to 0.
  std::string bounds() {
    std::map<std::string, std::string> names;
    for (const OptunaTrial* trial : trials_) {
      for (const auto& [name, none] : trial->constraints)
        if (!metrics_.contains(name)) bounded_.keep(name);
    }
    for (const OptunaTrial* trial : trials_) {
      for (const auto& [name, none] : trial->constraints) names[name] = bound_name(name);
    }
    std::string text;
    for (const auto& [theirs, ours] : names) {
      text += base::cat(text.empty() ? "" : ", ", ours, ": 0");
      if (ours != theirs) notes_.rename(ours, theirs);
    }
    return text.empty() ? "" : base::cat("subject_to: {", text, "}\n");
  }

  std::string parameters() {
    if (fit_.order.empty()) return "parameters: {}\n";
    std::string text = "parameters:\n";
    for (const std::string& name : fit_.order) {
      if (domains_.at(name).has_none()) notes_.carry("the string None", "None of " + name);
      text += base::cat("  ", our_name(name), ": {",
                        of_param(name, [&] { return domains_.at(name).yaml(); }),
                        condition_text(fit_.conditions.at(name)), "}\n");
    }
    return text;
  }

  /// One domain of a name has all that trials had: a search may be narrowed and widened.
  void find_domains() {
    std::map<std::string, std::set<std::string>> texts;
    for (const OptunaTrial* trial : trials_) {
      std::map<std::size_t, std::string> fresh;  // by place
      for (const auto& [name, raw] : trial->params) {
        if (!texts[name].insert(raw.distribution).second) continue;
        const OptunaDomain domain =
            of_param(name, [&raw = raw] { return OptunaDomain(raw.distribution); });
        if (domains_.emplace(name, domain).second)
          fresh[raw.place] = name;
        else
          of_param(name, [&, &name = name] { widen(name, domain); });
      }
      for (auto& [place, name] : fresh) order_.push_back(std::move(name));
    }
  }

  void widen(const std::string& name, const OptunaDomain& later) {
    OptunaDomain& domain = domains_.at(name);
    if (later.yaml() == domain.yaml()) return;
    changes_.insert(name);
    if (domain.widen(later)) return;
    domain = later;
    of_other_kinds_.insert(name);
  }

  void note_change(const std::string& name) {
    if (of_other_kinds_.contains(name))
      notes_.leave(base::cat("earlier values of ", name, ", which were of another kind"));
    else
      notes_.carry("one range with all of them", "the changing ranges of " + name);
  }

  std::string our_name(const std::string& name) {
    const std::string& ours = names_.ours(name);
    if (ours != name) notes_.rename(ours, name);
    return ours;
  }

  std::string condition_text(const OptunaCondition& condition) {
    std::string text;
    for (const OptunaCondition::On& on : condition.all) {
      const OptunaDomain& parent = domains_.at(on.parent);
      std::string values;
      for (const double value : on.values)
        values += base::cat(values.empty() ? "" : ", ", OptunaDomain::yaml_of(parent.value(value)));
      text += base::cat(text.empty() ? "" : ", ", names_.ours(on.parent), ": [", values, "]");
    }
    return text.empty() ? "" : base::cat(", when: {", text, "}");
  }

  /// The place of a choice is one in the list that the trial had.
  [[nodiscard]] ParamValue value_of(const std::string& name, const OptunaParam& param) const {
    const OptunaDomain& domain = domains_.at(name);
    return of_other_kinds_.contains(name)
               ? domain.as_here(OptunaDomain(param.distribution).value(param.internal))
               : domain.value(param.internal);
  }

  void add(ImportedStudy& out, const OptunaTrial& raw) {
    constexpr std::int64_t kComplete = 1, kPruned = 2;
    if (!raw.ended()) return;  // nobody will tell of it any more
    ImportedTrial trial;
    trial.state = raw.state == kComplete ? TrialState::complete
                  : raw.state == kPruned ? TrialState::stopped
                                         : TrialState::failed;
    for (const std::string& name : fit_.order) {
      if (const auto at = raw.params.find(name); at != raw.params.end())
        trial.params.set(names_.ours(name),
                         of_param(name, [&] { return value_of(name, at->second); }));
    }
    trial.constraints = constraints_of(raw);
    trial.metrics = metrics_of(raw, trial.constraints);
    if (raw.began && raw.came_to_end) trial.seconds = std::max(0.0, *raw.came_to_end - *raw.began);
    const std::size_t metrics = study_.directions.size();
    if (raw.values.size() == metrics) trial.values = raw.values;
    if (is_too_good(trial, goal())) ++too_good_;
    if (metrics > 1) return out.trials.push_back(std::move(trial));
    for (const auto& [step, value] : raw.reports) trial.reports[step - first_step_] = value;
    out.trials.push_back(std::move(trial));
  }

  /// Steps are never below 0 here.
  void find_first_step() {
    if (study_.directions.size() > 1) return;
    for (const OptunaTrial* trial : trials_) {
      if (trial->ended() && !trial->reports.empty())
        first_step_ = std::min(first_step_, trial->reports.begin()->first);
    }
    if (first_step_ < 0)
      notes_.carry(base::cat("steps that are larger by ", -first_step_), "steps below 0");
  }

  [[nodiscard]] Goal goal() const {
    return study_.directions.front() == 2 ? Goal::maximize : Goal::minimize;
  }

  Metrics constraints_of(const OptunaTrial& trial) {
    Metrics constraints;
    for (const auto& [name, value] : trial.constraints)
      constraints.emplace_back(bound_name(name), value);
    return constraints;
  }

  /// Whether no other number may be called so.
  [[nodiscard]] bool is_taken(const std::string& name, const Metrics& constraints) const {
    return metrics_.contains(name) || find_metric(constraints, name) != nullptr;
  }

  /// Numbers that the user noted beside the values.
  [[nodiscard]] Metrics metrics_of(const OptunaTrial& trial, const Metrics& constraints) const {
    Metrics numbers;
    for (const auto& [name, json] : trial.attributes) {
      const std::optional<double> number = number_in(json);
      if (number && !name.empty() && !is_taken(name, constraints))
        numbers.emplace_back(name, *number);
    }
    return numbers;
  }

  static std::optional<double> number_in(const std::string& json) {
    const auto value = base::Json::try_parse(json);
    return value ? value->as_number() : std::nullopt;
  }

  /// What trials that wait are to have: the first ones that will be asked for. `body` is the study
  /// without them, which says whether it has such points.
  std::string first_points(const std::string& body) {
    std::string text;
    std::size_t others = 0;
    for (const OptunaTrial* trial : trials_) {
      if (trial->state != kWaiting) continue;
      const std::string point = point_of(*trial);
      if (!point.empty() && is_study(base::cat(body, "try_first:\n", point)))
        text += point;
      else
        ++others;
    }
    if (others > 0)
      notes_.leave(
          others == 1
              ? "1 trial that waits (enqueue_trial): its values are not a point of this space"
              : base::cat(others,
                          " trials that wait (enqueue_trial): their values are not points of ",
                          "this space"));
    return text.empty() ? "" : base::cat("try_first:\n", text);
  }

  /// The line of `try_first`; empty: nothing was said, or of what no trial has had yet.
  std::string point_of(const OptunaTrial& trial) {
    if (fit_.foreign.contains(&trial)) return "";
    std::string text;
    const auto add_value = [&](const std::string& name, const ParamValue& value) {
      text += base::cat(text.empty() ? "" : ", ", names_.ours(name), ": ",
                        OptunaDomain::yaml_of(value));
    };
    try {
      for (const auto& [name, json] : trial.fixed) {
        const auto domain = domains_.find(name);
        if (domain == domains_.end() || !fit_.conditions.contains(name)) return "";
        if (!trial.params.contains(name)) add_value(name, domain->second.fixed(json));
      }
      for (const auto& [name, param] : trial.params) add_value(name, value_of(name, param));
    } catch (const base::Error&) {
      return "";
    }
    return text.empty() ? "" : base::cat("  - {", text, "}\n");
  }

  static bool is_study(const std::string& yaml) {
    try {
      (void)study_made(yaml, "a storage", "study.yaml");
      return true;
    } catch (const base::Error&) {
      return false;
    }
  }

  void name_the_rest() {
    if (too_good_ > 0)
      notes_.carry("a failure",
                   base::cat("the value ", goal() == Goal::maximize ? "inf" : "-inf", " of ",
                             base::counted(too_good_, "trial")),
                   "it is not a result");
    const auto running = std::ranges::count(trials_, kRunning, &OptunaTrial::state);
    if (running > 0) notes_.leave(base::counted(running, "trial") + " still running");
    name_attributes();
    const std::string names = base::listed(
        study_.attributes, [](const std::string& name) { return base::printable(name, 60); });
    if (!names.empty()) notes_.leave("user attributes of the study: " + names);
    if (std::ranges::any_of(trials_,
                            [](const OptunaTrial* trial) { return trial->began.has_value(); }))
      notes_.leave("when trials began: all of them now, for as long as they took");
    notes_.leave("sampler and pruner, which Optuna does not store: here tpe, and no early_stop");
  }

  void name_attributes() {
    Tally open, taken, others;
    for (const OptunaTrial* trial : trials_) {
      const Metrics constraints = constraints_of(*trial);
      const Metrics carried = metrics_of(*trial, constraints);
      for (const auto& [name, json] : trial->attributes) {
        if (!trial->ended())
          open.add(name);
        else if (find_metric(carried, name) == nullptr)
          (number_in(json) && is_taken(name, constraints) ? taken : others).add(name);
      }
    }
    for (const auto& [what, tally] :
         {std::pair<const char*, const Tally*>{"of trials that have not ended", &open},
          {"called as a metric or a constraint is", &taken},
          {"that are no numbers", &others}})
      if (!tally->empty())
        notes_.leave(
            base::cat("user attributes ", what, ", and of how many trials: ", tally->text()));
  }

  static constexpr std::int64_t kRunning = 0, kWaiting = 4;

  const OptunaStudy& study_;
  std::vector<const OptunaTrial*> trials_;
  std::vector<std::string> order_;
  std::map<std::string, OptunaDomain> domains_;
  std::set<std::string> changes_;         ///< params whose domain changed
  std::set<std::string> of_other_kinds_;  ///< params some of whose values are none any more
  OptunaFit fit_;
  ImportNotes notes_;
  std::set<std::string> metrics_;
  std::int64_t first_step_ = 0;  ///< of theirs that is 0 here
  std::size_t too_good_ = 0;     ///< trials
  Names names_, bounded_;
};

}  // namespace

bool is_too_good(const ImportedTrial& trial, Goal goal) {
  if (trial.state == TrialState::failed || trial.values.empty()) return false;
  const double value = trial.values[0];
  return std::isinf(value) && (value > 0) == (goal == Goal::maximize);
}

ImportedStudy import_optuna(const OptunaStorage& storage, const std::string& file,
                            const std::string& name) {
  const std::size_t study = find_study(storage.studies, name, file);
  std::vector<const OptunaTrial*> trials;
  for (const OptunaTrial& trial : storage.trials)
    if (trial.study == study) trials.push_back(&trial);
  try {
    return OptunaImporter(storage.studies.at(study), std::move(trials), storage.left_out).run();
  } catch (const base::Error& error) {
    throw base::Error(base::Errc::data, base::cat(base::printable(file, 4096), ": ", error.what()));
  }
}

}  // namespace hpo
