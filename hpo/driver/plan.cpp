#include "hpo/driver/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "hpo/driver/search.h"
#include "hpo/log/json.h"
#include "runtime/base/random.h"
#include "runtime/key.h"

namespace hpo {

namespace {

/// One trial on its way through virtual time.
struct Course {
  TrialSpec spec;
  std::vector<std::int64_t> borders;
  std::size_t next = 0;
  double quality = 0;
  rt::Key past;  ///< what it has trained so far: equal for trials with the same network
};

class Play {
 public:
  Play(const StudySpec& study, const StudyData& data, std::int64_t slots)
      : study_(study), data_(data), slots_(slots), search_(study) {}

  Plan run() {
    for (std::int64_t slot = 0; slot < slots_; ++slot) begin(0);
    while (!due_.empty()) {
      auto [time, trial] = *due_.begin();
      due_.erase(due_.begin());
      report(time, trial);
    }
    plan_.memory += static_cast<std::uint64_t>(slots_) * largest_;
    return plan_;
  }

 private:
  void begin(double time) {
    if (study_.limits.trials && plan_.trials >= *study_.limits.trials) return;
    std::optional<Params> params = search_.propose();
    if (!params) return;
    auto trial = static_cast<std::uint64_t>(plan_.trials++);
    search_.tell(trial, Created{.params = *params});
    Course course{.spec = materialise(study_, *params, data_.info)};
    course.borders = report_borders(study_, course.spec.epochs);
    course.past = rt::key_of(std::tuple(data_spec(study_, *params), course.spec.model,
                                        course.spec.hyper.optimizer.kind,
                                        nn::optimizer_slots(course.spec.hyper.optimizer)));
    course.quality = rt::Stream(study_.seed, "plan", trial).uniform();
    std::size_t copies =
        1 + static_cast<std::size_t>(nn::optimizer_slots(course.spec.hyper.optimizer));
    largest_ = std::max<std::uint64_t>(
        largest_, nn::weight_count(course.spec.model) * sizeof(float) * copies);
    courses_.emplace(trial, std::move(course));
    advance(time, trial);
  }

  /// Counts the next stretch and puts its report where it is due.
  void advance(double time, std::uint64_t trial) {
    Course& course = courses_.at(trial);
    nn::Stretch stretch{course.next == 0 ? 0 : course.borders[course.next - 1],
                        course.borders[course.next]};
    double flops =
        tasks::train_cost(course.spec.model, stretch, data_.train_rows, course.spec.hyper.batch)
            .value +
        tasks::evaluate_cost(course.spec.model, data_.valid_rows).value;
    std::int64_t epochs = stretch.to - stretch.from;
    plan_.epochs += epochs;
    plan_.flops += flops;
    course.past =
        rt::key_of(std::tuple(course.past, nn::hyper_on(course.spec.hyper, stretch), stretch));
    if (seen_.insert(course.past).second) {
      plan_.distinct_epochs += epochs;
      plan_.distinct_flops += flops;
    }
    due_.emplace(time + flops, trial);
  }

  void report(double time, std::uint64_t trial) {
    Course& course = courses_.at(trial);
    std::int64_t step = course.borders[course.next++];
    Reported reported{.step = step, .epochs = step, .value = course.quality};
    bool last = course.next == course.borders.size();
    Word word = search_.word_on(trial, reported);
    search_.tell(trial, reported);
    if (!last && word == Word::go) return advance(time, trial);
    search_.tell(trial, Ended{.state = last ? TrialState::complete : TrialState::stopped});
    courses_.erase(trial);
    begin(time);
  }

  const StudySpec& study_;
  const StudyData& data_;
  std::int64_t slots_;
  Search search_;
  Plan plan_;
  std::uint64_t largest_ = 0;
  std::map<std::uint64_t, Course> courses_;
  std::set<std::pair<double, std::uint64_t>> due_;
  std::set<rt::Key> seen_;
};

}  // namespace

Plan plan_study(const LoadedStudy& loaded, int workers) {
  const std::int64_t slots = slots_of(loaded.study, loaded.asked, workers, 0);
  Plan plan = Play(loaded.study, loaded.data, slots).run();
  plan.memory += nn::Dataset::byte_size(loaded.data.value.get().header());
  plan.seconds = plan.distinct_flops / tasks::product_rate() / std::max(1, workers);
  plan.placement = "cpu";
  return plan;
}

std::string plan_json(const Plan& plan) {
  JsonWriter json;
  json.begin_object().field("trials", plan.trials).field("epochs", plan.epochs);
  json.field("distinct_epochs", plan.distinct_epochs).field("flops", plan.flops);
  json.field("distinct_flops", plan.distinct_flops).field("memory", plan.memory);
  json.field("seconds", plan.seconds)
      .field("placement", std::string_view(plan.placement))
      .end_object();
  return std::move(json).text();
}

}  // namespace hpo
