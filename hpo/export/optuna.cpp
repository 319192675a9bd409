#include "hpo/export/optuna.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/export/courses.h"
#include "hpo/log/metrics.h"
#include "hpo/log/trial_table.h"

namespace hpo {

namespace {

/// Numbers of the journal (optuna/storages/journal/_storage.py).
enum Operation : int {
  create_study = 0,
  set_study_attribute = 3,
  create_trial = 4,
  set_param = 5,
  set_state = 6,
  set_report = 7,
  set_attribute = 8,
  set_system_attribute = 9,
};
enum State : int { running = 0, complete = 1, pruned = 2, failed = 3 };

constexpr std::string_view kWorker = "trellis";

/// As Python writes and reads it: with NaN and Infinity.
std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return text_of(ParamValue(value));  // with a point: Python tells 0 from 0.0
}

double moment_of(const std::string& wall) {
  return static_cast<double>(base::wall_seconds(wall).value_or(0));
}

/// In the words that every Python reads.
std::string time_of(double moment) {
  const double whole = std::floor(moment);
  const auto seconds = static_cast<std::time_t>(whole);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> date{};
  std::array<char, 64> text{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const int micros = std::min(999'999, static_cast<int>((moment - whole) * 1e6));
  std::snprintf(text.data(), text.size(), "%s.%06d+00:00", date.data(), micros);
  return text.data();
}

/// When a trial ended: a row's moment is of whole seconds, and trials that were imported began and
/// ended in one of them.
std::string end_of(const TrialRow& trial, const std::vector<EventRow>& events) {
  const double begun = moment_of(events.front().wall), ended = moment_of(events.back().wall);
  return time_of(trial.seconds >= ended - begun - 1 ? begun + trial.seconds : ended);
}

class Line {
 public:
  explicit Line(Operation operation) {
    json_.begin_object().field("op_code", static_cast<int>(operation)).field("worker_id", kWorker);
  }
  base::JsonWriter& json() { return json_; }
  void add_to(std::string& out) && {
    json_.end_object();
    out += std::move(json_).text() + "\n";
  }

 private:
  base::JsonWriter json_;
};

/// A domain as Optuna's, and a value of it as Optuna keeps it: categories by their place.
struct Distribution {
  std::string json;
  const Domain* domain = nullptr;

  [[nodiscard]] std::string internal(const ParamValue& value) const {
    if (std::holds_alternative<FloatRange>(*domain) || std::holds_alternative<IntRange>(*domain))
      return number(number_of(value).value());
    return base::cat(rank_of(*domain, value).value());
  }
};

template <class T>
std::string range_json(std::string_view name, T min, T max, bool log, const std::string& step) {
  base::JsonWriter json;
  json.begin_object().field("name", name).key("attributes").begin_object();
  json.key("step").raw(step).field("low", min).field("high", max).field("log", log);
  json.end_object().end_object();
  return std::move(json).text();
}

std::string choices_json(const Domain& domain) {
  const auto count = cardinality(domain);
  if (!count) throw base::Error(base::Errc::internal, "a domain that Optuna has no word for");
  base::JsonWriter json;
  json.begin_object().field("name", "CategoricalDistribution").key("attributes").begin_object();
  json.key("choices").begin_array();
  for (std::uint64_t i = 0; i < *count; ++i) json.raw(json_of(nth_value(domain, i)));
  json.end_array().end_object().end_object();
  return std::move(json).text();
}

Distribution distribution_of(const Domain& domain) {
  if (const auto* range = std::get_if<FloatRange>(&domain)) {
    const bool log = range->scale == Scale::log;
    const std::string step = range->step > 0 && !log ? number(range->step) : "null";
    return {range_json("FloatDistribution", range->min, range->max, log, step), &domain};
  }
  if (const auto* range = std::get_if<IntRange>(&domain)) {
    const bool log = range->scale == Scale::log;
    const std::string step = log ? "1" : base::cat(range->step);
    return {range_json("IntDistribution", range->min, range->max, log, step), &domain};
  }
  return {choices_json(domain), &domain};
}

int state_of(TrialState state) {
  switch (state) {
    case TrialState::complete:
      return complete;
    case TrialState::stopped:
      return pruned;
    case TrialState::failed:
      return failed;
    case TrialState::waiting:
    case TrialState::running:
      break;
  }
  return running;
}

class Journal {
 public:
  Journal(const StudyReader& study, const Space& space, bool asked) : study_(study), asked_(asked) {
    for (const Parameter& parameter : space.parameters())
      distributions_.emplace(parameter.name, distribution_of(parameter.domain));
    for (EventRow& event : study.events())
      if (event.trial) events_[*event.trial].push_back(std::move(event));
    const StudyInfo info = study.info();
    searched_.push_back({info.metric, info.maximize});
    const Objective objective = study.objective();
    for (const OtherMetric& other : objective.others) searched_.push_back(other);
    subject_to_ = objective.subject_to;
  }

  std::string text() {
    Line line(create_study);
    line.json().field("study_name", study_.info().name).key("directions").begin_array();
    for (const OtherMetric& metric : searched_) line.json().value(metric.maximize ? 2 : 1);
    line.json().end_array();
    std::move(line).add_to(out_);
    if (several()) add_names();
    for (const TrialRow& trial : study_.trials()) add(trial);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool several() const { return searched_.size() > 1; }

  void add_names() {
    Line line(set_study_attribute);
    line.json().field("study_id", 0).key("system_attr").begin_object();
    line.json().key("study:metric_names").begin_array();
    for (const OtherMetric& metric : searched_) line.json().value(metric.name);
    line.json().end_array().end_object();
    std::move(line).add_to(out_);
  }

  void add(const TrialRow& trial) {
    const std::vector<EventRow>& events = events_.at(trial.trial);
    Line begin(create_trial);
    begin.json()
        .field("study_id", 0)
        .field("datetime_start", time_of(moment_of(events.front().wall)));
    std::move(begin).add_to(out_);
    for (const auto& [name, value] : trial.params) add_param(trial.trial, name, value);
    if (!several()) add_reports(trial.trial, events);  // Optuna knows none of several metrics
    add_metrics(trial);
    add_constraints(trial);
    add_end(trial, end_of(trial, events));
  }

  void add_reports(std::uint64_t trial, const std::vector<EventRow>& events) {
    for (const EventRow* event : counted_reports(events, asked_)) {
      const auto& report = std::get<Reported>(event->body);
      Line line(set_report);
      line.json().field("trial_id", trial).field("step", report.step);
      line.json().key("intermediate_value").raw(number(report.value));
      std::move(line).add_to(out_);
    }
  }

  void add_param(std::uint64_t trial, const std::string& name, const ParamValue& value) {
    const Distribution& distribution = distributions_.at(name);
    Line line(set_param);
    line.json().field("trial_id", trial).field("param_name", name);
    line.json().key("param_value_internal").raw(distribution.internal(value));
    line.json().field("distribution", distribution.json);
    std::move(line).add_to(out_);
  }

  void add_metrics(const TrialRow& trial) {
    for (const auto& [name, value] : trial.metrics) {
      if (std::ranges::find(searched_, name, &OtherMetric::name) != searched_.end()) continue;
      Line line(set_attribute);
      line.json().field("trial_id", trial.trial).key("user_attr").begin_object();
      line.json().key(name).raw(number(value)).end_object();
      std::move(line).add_to(out_);
    }
  }

  /// Optuna's are kept by up to 0.
  void add_constraints(const TrialRow& trial) {
    if (subject_to_.empty() || !trial.value) return;
    Line line(set_system_attribute);
    line.json().field("trial_id", trial.trial).key("system_attr").begin_object();
    line.json().key("constraints").begin_array();
    for (const Bound& bound : subject_to_) {
      const double* value = find_metric(trial.metrics, bound.metric);
      line.json().raw(number(value != nullptr ? bound.beyond(*value) : 0));
    }
    line.json().end_array().end_object();
    std::move(line).add_to(out_);
  }

  void add_end(const TrialRow& trial, const std::string& time) {
    int state = state_of(trial.state);
    if (state == running) return;
    const std::vector<double> values = values_of(trial);
    if (state == complete && values.empty()) state = failed;
    Line line(set_state);
    line.json().field("trial_id", trial.trial).field("state", state).key("values");
    if (!values.empty() && state != failed) {
      line.json().begin_array();
      for (const double value : values) line.json().raw(number(value));
      line.json().end_array();
    } else {
      line.json().null();
    }
    line.json().field("datetime_complete", time);
    std::move(line).add_to(out_);
  }

  /// One for each metric that is searched for; none where one is missing or no number, of which
  /// Optuna takes no trial for complete.
  [[nodiscard]] std::vector<double> values_of(const TrialRow& trial) const {
    if (!trial.value) return {};
    std::vector<double> values{*trial.value};
    for (std::size_t i = 1; i < searched_.size(); ++i) {
      const double* value = find_metric(trial.metrics, searched_[i].name);
      if (value == nullptr) return {};
      values.push_back(*value);
    }
    if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) return {};
    return values;
  }

  const StudyReader& study_;
  bool asked_;
  std::vector<OtherMetric> searched_;  ///< all metrics that are searched for, the first one too
  std::vector<Bound> subject_to_;
  std::map<std::string, Distribution> distributions_;
  std::map<std::uint64_t, std::vector<EventRow>> events_;
  std::string out_;
};

}  // namespace

std::string optuna_journal(const StudyReader& study, const Space& space, bool asked) {
  return Journal(study, space, asked).text();
}

}  // namespace hpo
