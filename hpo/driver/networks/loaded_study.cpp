#include "hpo/driver/networks/loaded_study.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/networks/trial_plan.h"
#include "hpo/study/from.h"
#include "hpo/study/lateness.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/rate_rule.h"
#include "nn/adapt/policy.h"
#include "nn/data/kept_tables.h"

namespace hpo {

namespace {

/// A sentence where a list names files that are not read, though they exist.
void note_unread(const StudySpec& study, std::vector<std::string>& notes) {
  const std::vector<std::string>& unread = study.data.unread;
  if (unread.empty()) return;
  const std::filesystem::path path = data_spec(study, study.space.middle()).path;
  notes.insert(notes.begin(), base::cat("of the list in `", study.data.source(), "`, ",
                                        base::printable(path.filename().string()),
                                        " is read, as the first that "
                                        "exists; not read: ",
                                        base::printable(base::listed(unread))));
}

/// A sentence for each metric whose goal is the worst network.
std::vector<std::string> odd_goals(const StudySpec& study) {
  std::vector<Metric> metrics{study.metric};
  metrics.insert(metrics.end(), study.others.begin(), study.others.end());
  std::vector<std::string> notes;
  for (const Metric& metric : metrics) {
    if (!metric.name.starts_with("valid.")) continue;  // large or small networks: both may be meant
    const bool most = study::is_maximized(metric.name);
    if ((metric.goal == Goal::maximize) == most) continue;
    notes.push_back(base::cat("metric ", metric.name, ": goal ", most ? "minimize" : "maximize",
                              " looks for the worst network; ", most ? "more" : "less",
                              " of it is better"));
  }
  return notes;
}

/// A sentence where the data decided about the metric.
void note_metric(const StudySpec& study, const DataInfo& data, std::vector<std::string>& notes) {
  if (study.names_metric || study.metric.name == "valid.accuracy" || data.rarest.empty()) return;
  notes.push_back(base::cat(
      "metric: ", study.metric.name, ", because ", base::with_digits(100 * data.rarest_share, 2),
      "% of the training rows are '", base::printable(data.rarest, 40),
      "', and accuracy rewards networks that ignore them; `metric: valid.accuracy` "
      "searches for it anyway"));
}

/// What a model brings along that goes on.
void add_model_notes(const StudySpec& study, const Params& params, const StudyData& data,
                     const TrialPlan& plan, std::vector<std::string>& notes) {
  const nn::ModelSpec& model = plan.spec.model;
  notes.push_back(base::cat("continues from ", base::printable(data.model, 200), ": ",
                            nn::shape_text(model), ", the optimizer's state ",
                            plan.keeps_optimizer ? "is kept" : "starts fresh"));
  if (data.replay_rows == 0)
    notes.emplace_back("without old rows (`from.replay`), what it forgets is not measured");
  if (const auto written =
          written_network(study, params, data.info, nn::output_shape(model).elements());
      written && nn::shape_text(*written) != nn::shape_text(model))
    notes.push_back(base::cat("the network is the model's, not the ", nn::shape_text(*written),
                              " of `network`"));
}

}  // namespace

LoadedStudy load_settled(const StudySpec& study, const Params& params) {
  const nn::KeptTables kept;
  StudyData data = load_data(study, params);
  StudySpec settled = settle(study, data.info);
  // Read again in folds, data has nothing to guess any more.
  std::vector<std::string> notes = data.value.get().header().notes;
  note_unread(study, notes);
  const std::size_t data_notes = notes.size();
  const std::vector<std::string> doubts = data.value.get().header().doubts;
  notes.insert(notes.end(), doubts.begin(), doubts.end());
  for (std::string& note : odd_goals(settled)) notes.push_back(std::move(note));
  note_metric(settled, data.info, notes);
  for (auto note : {study::note_on_rate_rule(settled), study::note_on_staleness(settled)})
    if (note) notes.push_back(std::move(*note));
  const nn::DataSpec spec = data_spec(settled, params);
  if (spec.split.folds != data_spec(study, params).split.folds) data = load_data(settled, spec);
  const PlanPtr plan = plan_trial(settled, params, data.info, data.seeds.shuffle, nullptr);
  TrialResources asked = plan->spec.resources;
  if (data.info.model) add_model_notes(settled, params, data, *plan, notes);
  return {.study = std::move(settled),
          .data = std::move(data),
          .params = params,
          .asked = asked,
          .notes = std::move(notes),
          .data_notes = data_notes,
          .doubts = doubts.size()};
}

void require_other_model(const LoadedStudy& loaded, const std::filesystem::path& file) {
  std::error_code error;
  if (loaded.data.model.empty() || !std::filesystem::equivalent(loaded.data.model, file, error))
    return;
  refuse_from(loaded.study, "model", "which this run would write over; give it another name");
}

LoadedStudy load_settled(const StudySpec& study) {
  return load_settled(study, study.space.middle());
}

std::int64_t slots_of(const StudySpec& study, const TrialResources& asked, int workers, int gpus) {
  if (study.parallel > 0) return study.parallel;
  std::int64_t slots = workers / std::max<std::int64_t>(1, asked.cpus);
  if (asked.gpus > 0)
    slots = std::min(slots, static_cast<std::int64_t>(std::floor(gpus / asked.gpus)));
  return std::max<std::int64_t>(1, slots);
}

std::int64_t slots_on(const rt::Platform& platform, const LoadedStudy& loaded) {
  const int workers = platform.cpu.count + platform.gpu.count * platform.gpu.sharers;
  return slots_of(loaded.study, loaded.asked, workers, platform.gpu.count);
}

}  // namespace hpo
