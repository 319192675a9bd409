#include "hpo/serve/metrics_text.h"

#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hpo/report/text.h"

namespace hpo::serve {

namespace {

/// A label's value: the format knows three escapes. Bytes that are no UTF-8 become visible.
std::string label_text(std::string_view value) {
  std::string out;
  for (const char c : report::visible(value)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return base::format_double(value);
}

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// One metric with its samples; nothing where it has none.
class Family {
 public:
  Family(std::string_view name, std::string_view type, std::string_view help)
      : name_(name),
        head_(base::cat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n")) {}

  void add(const Labels& labels, double value) {
    std::string inside;
    for (const auto& [key, text] : labels)
      inside += base::cat(inside.empty() ? "" : ",", key, "=\"", label_text(text), "\"");
    if (!inside.empty()) inside = base::cat("{", inside, "}");
    samples_ += base::cat(name_, inside, " ", number_text(value), "\n");
  }
  [[nodiscard]] std::string text() const { return samples_.empty() ? "" : head_ + samples_; }

 private:
  std::string_view name_;
  std::string head_, samples_;
};

std::string trials_text(std::span<const StudySummary> studies) {
  Family family("trellis_study_trials", "gauge", "Trials of the study, by state.");
  for (const StudySummary& study : studies) {
    if (study.is_silent || study.is_broken) continue;
    TrialCounts counts = study.counts;
    for (const TrialState state : {TrialState::waiting, TrialState::running, TrialState::complete,
                                   TrialState::stopped, TrialState::failed})
      family.add({{"study", study.name}, {"state", std::string(name_of(state))}},
                 static_cast<double>(counts.of(state)));
  }
  return family.text();
}

std::string best_text(std::span<const StudySummary> studies) {
  Family family("trellis_study_best_value", "gauge", "The best trial's value of the metric.");
  for (const StudySummary& study : studies) {
    if (study.is_silent || study.is_broken || !study.best || !study.best->value) continue;
    family.add({{"study", study.name},
                {"metric", study.info.metric},
                {"trial", std::to_string(study.best->trial)}},
               *study.best->value);
  }
  return family.text();
}

std::string workers_text(std::span<const StudySummary> studies) {
  Family family("trellis_worker_busy_seconds_total", "counter",
                "Seconds that a worker of the study's last session spent in tasks.");
  for (const StudySummary& study : studies)
    for (const WorkerInfo& worker : study.workers)
      family.add({{"study", study.name}, {"worker", worker.name}}, worker.busy);
  return family.text();
}

/// A metric with one sample for each study.
struct OfStudy {
  std::string_view name, type, help;
  std::function<double(const StudySummary&)> value;
  bool of_all = false;  ///< also of studies that cannot be read
};

std::vector<OfStudy> of_studies() {
  return {
      {"trellis_study_up", "gauge", "1 if the study can be read.",
       [](const StudySummary& study) { return study.is_silent || study.is_broken ? 0.0 : 1.0; },
       true},
      {"trellis_study_running", "gauge", "1 while a driver runs the study.",
       [](const StudySummary& study) {
         return study.info.state == StudyState::running ? 1.0 : 0.0;
       }},
      {"trellis_study_trial_limit", "gauge", "limits.trials of the study; 0 if there is none.",
       [](const StudySummary& study) { return static_cast<double>(study.info.trial_limit); }},
      {"trellis_study_active_seconds_total", "counter", "Seconds that drivers spent on the study.",
       [](const StudySummary& study) { return study.info.active_seconds; }},
      {"trellis_study_epochs_total", "counter", "Epochs that trials trained.",
       [](const StudySummary& study) { return static_cast<double>(study.work.epochs); }},
      {"trellis_study_distinct_epochs_total", "counter",
       "Epochs that were run; the store had the others.",
       [](const StudySummary& study) { return static_cast<double>(study.work.distinct_epochs); }},
      {"trellis_study_tasks_total", "counter", "Tasks that were run.",
       [](const StudySummary& study) { return static_cast<double>(study.work.tasks); }},
      {"trellis_study_written_timestamp_seconds", "gauge",
       "When the study's log was written last, in seconds since 1970.",
       [](const StudySummary& study) { return static_cast<double>(study.moved) * 1e-6; }},
  };
}

}  // namespace

std::string metrics_text(std::span<const StudySummary> studies, int streams) {
  std::string out;
  for (const OfStudy& metric : of_studies()) {
    Family family(metric.name, metric.type, metric.help);
    for (const StudySummary& study : studies)
      if (metric.of_all || (!study.is_silent && !study.is_broken))
        family.add({{"study", study.name}}, metric.value(study));
    out += family.text();
  }
  out += trials_text(studies) + best_text(studies) + workers_text(studies);
  Family open("trellis_serve_streams", "gauge", "Pages that follow a study now.");
  open.add({}, streams);
  return out + open.text();
}

}  // namespace hpo::serve
