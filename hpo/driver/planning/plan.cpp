#include "hpo/driver/planning/plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "base/json_writer.h"
#include "hpo/driver/planning/forecast.h"
#include "hpo/driver/planning/paper_reports.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan_costs.h"
#include "hpo/driver/planning/simulate_nodes.h"
#include "hpo/search/reached.h"
#include "hpo/search/study_machine.h"
#include "hpo/study/gpus.h"
#include "runtime/key.h"

namespace hpo {

namespace {

/// One trial on its way through virtual time.
struct Course {
  TrialSpec spec;
  Forecast forecast;
  std::vector<std::int64_t> boundaries;
  std::size_t next = 0;
  int networks = 1;  ///< one for each fold of the data
  double quality = 0;
  double flops = 0;
  double steps = 0;
};

/// Where only time ends a study: more trials tell nothing more about what one costs.
constexpr std::int64_t kMostByTime = 1000;

/// The study, ended by a number of trials where it is by time.
StudySpec with_trials(StudySpec study) {
  if (ends_by_time(study)) study.limits.trials = kMostByTime;
  return study;
}

class Play {
 public:
  Play(const LoadedStudy& loaded, PlanCosts& costs)
      : study_(with_trials(loaded.study)),
        data_(loaded.data),
        by_time_(ends_by_time(loaded.study)),
        costs_(costs),
        machine_({.study = study_}) {}

  Plan run() {
    double now = 0;
    while (fill_slots(now) && !is_late()) {
      const auto [time, trial] = *due_.begin();
      due_.erase(due_.begin());
      now = time;
      report(time, trial);
    }
    Plan plan = costs_.counts();
    plan.trials = static_cast<std::int64_t>(machine_.created());
    plan.ends_by_time = by_time_;
    plan.at_least = at_least_;
    return plan;
  }

 private:
  /// What the machine says comes next, now; false when nothing runs any more.
  bool fill_slots(double now) {
    while (const auto next = machine_.next(static_cast<std::size_t>(costs_.slots()))) {
      machine_.apply(next->trial, next->event);
      if (!next->trial) continue;
      if (const auto* created = std::get_if<Created>(&next->event)) begin(*next->trial, *created);
      if (std::holds_alternative<Ended>(next->event)) {
        courses_.erase(*next->trial);
      } else {
        advance(now, *next->trial);
      }
    }
    return !due_.empty();
  }

  void begin(std::uint64_t trial, const Created& created) {
    TrialSpec spec = materialise(study_, created.params, data_.info);
    const nn::DataSpec part = data_spec(study_, created.params);
    Course course{.spec = spec,
                  .forecast = Forecast(spec, data_, rt::key_of(part)),
                  .boundaries = report_boundaries(study_, spec.epochs),
                  .networks = std::max(1, part.split.folds),
                  .quality = paper_quality(study_, trial)};
    courses_.emplace(trial, std::move(course));
  }

  [[nodiscard]] bool is_late() const { return by_time_ && costs_.seconds() >= *study_.limits.time; }

  /// Counts the next segment and puts its report where it is due.
  void advance(double time, std::uint64_t trial) {
    Course& course = courses_.at(trial);
    const std::int64_t from = course.next == 0 ? 0 : course.boundaries[course.next - 1];
    const std::int64_t to = course.boundaries[course.next];
    const double flops = costs_.add(trial, course.forecast.advance(to), course.networks, to - from);
    at_least_ = at_least_ || !course.forecast.exact();
    costs_.add_network(course.forecast.memory());
    course.flops += flops;
    course.steps = static_cast<double>(counted_steps(study_, data_, course.spec, to));
    due_.emplace(time + flops, trial);
  }

  void report(double time, std::uint64_t trial) {
    Course& course = courses_.at(trial);
    std::int64_t step = course.boundaries[course.next++];
    Reported reported{
        .step = step,
        .epochs = step,
        .value = paper_value(course.quality, step, study_.metric.goal == Goal::maximize),
        .flops = course.flops,
        .used = machine_.search().counts_seconds() ? course.flops / tasks::product_rate()
                                                   : course.steps};
    for (const Metric& other : study_.others)
      reported.metrics.emplace_back(
          other.name, paper_value(course.quality, step, other.goal == Goal::maximize));
    reported.over = course.next == course.boundaries.size();
    reported.decision = machine_.answer(trial, reported);
    machine_.apply(trial, reported);
    if (reported.over || reported.decision == Decision::stop) {
      const auto state = reported.over ? TrialState::complete : TrialState::stopped;
      machine_.apply(trial, Ended{.state = state});
      courses_.erase(trial);
      return;
    }
    // What another one's network leads to trains for just as long.
    const bool goes_on = reported.decision == Decision::pause && machine_.search().pauses(step);
    if (goes_on) machine_.apply(trial, Resumed{});
    if (goes_on || reported.decision == Decision::go) advance(time, trial);
  }

  const StudySpec study_;
  const StudyData& data_;
  bool by_time_;
  PlanCosts& costs_;
  StudyMachine machine_;
  bool at_least_ = false;
  std::map<std::uint64_t, Course> courses_;
  std::set<std::pair<double, std::uint64_t>> due_;
};

}  // namespace

std::vector<PaperTrial> paper_trials(const LoadedStudy& loaded, const rt::Platform& platform) {
  PlanCosts costs(loaded, platform);
  (void)Play(loaded, costs).run();
  return costs.on_paper();
}

Plan plan_study(const LoadedStudy& loaded, const rt::Platform& platform) {
  PlanCosts costs(loaded, platform);
  Plan plan = Play(loaded, costs).run();
  plan.memory += nn::Dataset::byte_size(loaded.data.value.get().header());
  const Placement placement = place_trials(loaded, platform, costs.on_paper());
  plan.seconds = placement.expected.seconds;
  plan.platform = platform.name;
  plan.placement = placement.kinds(static_cast<std::size_t>(plan.trials));
  plan.gpu_trials = static_cast<std::int64_t>(placement.expected.gpu_trials);
  plan.too_large = static_cast<std::int64_t>(placement.expected.too_large);
  plan.gpu_memory = placement.expected.gpu_memory;
  plan.trials_per_gpu = platform.gpu.sharers;
  if (loaded.asked.any_gpu && placement.gpu_from < kNoGpu) plan.gpu_from = placement.gpu_from;
  return plan;
}

Plan plan_programs(const StudySpec& study) {
  Plan plan{.ends_by_time = ends_by_time(study), .placement = "programs"};
  if (plan.ends_by_time) return plan;
  const std::int64_t most = study.limits.trials.value_or(INT64_MAX);
  // Points to try first may stand there twice: then a grid ends only behind the last of it.
  if (study.method.kind == "grid" && study.try_first.empty()) {
    const std::uint64_t points = study.space.grid_size().value();
    plan.trials = static_cast<std::int64_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(most), points));
    return plan;
  }
  StudyMachine machine({.study = study});
  while (const auto next = machine.next(machine.running() + 1)) {
    if (!std::holds_alternative<Created>(next->event)) break;
    machine.apply(next->trial, next->event);
    ++plan.trials;
  }
  return plan;
}

std::string plan_json(const Plan& plan, const NodesForecast* nodes) {
  base::JsonWriter json;
  json.begin_object().field("trials", plan.trials).field("epochs", plan.epochs);
  json.field("distinct_epochs", plan.distinct_epochs).field("steps", plan.steps);
  json.field("distinct_steps", plan.distinct_steps).field("flops", plan.flops);
  json.field("distinct_flops", plan.distinct_flops).field("memory", plan.memory);
  json.field("seconds", plan.seconds)
      .field("placement", std::string_view(plan.placement))
      .field("platform", std::string_view(plan.platform))
      .field("gpu_trials", plan.gpu_trials)
      .field("too_large", plan.too_large)
      .field("gpu_memory", plan.gpu_memory)
      .field("trials_per_gpu", plan.trials_per_gpu)
      .field("gpu_from", plan.gpu_from)
      .field("execution", plan.execution.empty() ? std::nullopt
                                                 : std::optional<std::string_view>(plan.execution))
      .field("at_least", plan.at_least)
      .field("ends_by_time", plan.ends_by_time);
  put_nodes(json, nodes != nullptr ? *nodes : NodesForecast{});
  json.end_object();
  return std::move(json).text();
}

}  // namespace hpo
