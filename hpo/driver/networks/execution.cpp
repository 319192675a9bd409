#include "hpo/driver/networks/execution.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/executable.h"
#include "base/text.h"
#include "hpo/driver/planning/placement.h"
#include "nn/training/train_checks.h"

namespace hpo {

namespace {

using tasks::StepWay;

/// Returns why networks of the study are not trained one by one; empty: they are.
std::string_view several_networks(const StudySpec& study, const Params& params) {
  if (study.adapt) return "`adapt`";
  return data_spec(study, params).split.folds > 0 ? "`data.folds`" : "";
}

/// Refuses what a gang cannot train. `asked`: what the user gave.
void require_gang(const StudySpec& study, const TrialSpec& spec, const Params& params, int members,
                  bool staged, int gpus, std::string_view asked) {
  const auto refuse = [&](std::string_view why) {
    throw base::Error(base::Errc::usage, base::cat(asked, ": ", why));
  };
  if (const std::string_view why = several_networks(study, params); !why.empty()) {
    const std::string_view cure = asked.starts_with("--execution") ? "another --execution"
                                  : asked.starts_with("--hosts")   ? "no --hosts"
                                                                   : "one task";
    refuse(base::cat(why, " trains several networks side by side, but a gang trains one; expected ",
                     cure));
  }
  if (gpus > 0)
    refuse(
        "the network may train on a GPU, but a gang trains on cores; expected --executor cpu or "
        "`resources: {gpus: 0}`");
  const int shards = nn::shards_of(spec.hyper, spec.model);
  const int most = staged ? 0 : (shards + members - 1) / members;
  nn::check_gang(kern::kOwnMemory, spec.hyper, {0, most});
}

/// Refuses what cannot be trained in stages.
void require_stages(const TrialSpec& spec, int stages, int gpus) {
  const std::string where = base::cat("--execution: pipeline:", stages, ": ");
  if (gpus > 0)
    throw base::Error(base::Errc::usage,
                      where +
                          "the network may train on a GPU, but stages run on cores; expected "
                          "--executor cpu or `resources: {gpus: 0}`");
  try {
    nn::check_pipeline(kern::kOwnMemory, spec.hyper, spec.model, stages);
  } catch (const base::Error& error) {
    throw base::Error(base::Errc::usage, where + error.what());
  }
}

}  // namespace

std::vector<tasks::StepCost> open_ways(const StudySpec& study, const TrialSpec& spec,
                                       const Params& params, const rt::Platform& platform,
                                       const tasks::StepPlaces& places) {
  if (!several_networks(study, params).empty() || nn::staleness_of(spec.hyper.optimizer)) return {};
  return tasks::step_costs(spec.model, spec.hyper, platform, places);
}

std::string describe(const std::vector<tasks::StepCost>& costs) {
  const tasks::StepCost chosen = tasks::chosen_way(costs);
  std::vector<tasks::StepCost> others;
  for (const StepWay way : {StepWay::serial, StepWay::shards, StepWay::gang}) {
    const auto is_of = [way](const tasks::StepCost& cost) { return cost.way == way; };
    if (way == chosen.way || std::ranges::none_of(costs, is_of)) continue;
    others.push_back(*std::ranges::min_element(costs, {}, [&](const tasks::StepCost& cost) {
      return std::pair(!is_of(cost), cost.seconds());
    }));
  }
  std::string text =
      base::cat(chosen.word(), ", about ", base::format_seconds(chosen.seconds()), " a step");
  for (const tasks::StepCost& cost : others)
    text += base::cat(&cost == others.data() ? " (" : ", ", cost.word(), " ",
                      base::format_seconds(cost.seconds()));
  return others.empty() ? text : text + ")";
}

Execution::~Execution() {
  tasks::train_with(nullptr);
  tasks::train_serially(false);
  tasks::train_in_stages(1);
}

std::string Execution::begin(const StudySpec& study, const TrialSpec& spec, const Params& params,
                             const RunOptions& options, int workers, int gpus) {
  members_ = options.members;
  stages_ = options.stages;
  bool serially = options.serially;
  std::string chosen;
  if (options.chooses) {
    const bool far = options.on_agents();
    std::vector<tasks::StepCost> costs;
    if (gpus == 0)
      costs = open_ways(study, spec, params, platform_here(workers),
                        {.workers = workers, .members = members_, .far = far});
    members_ = 1;
    if (!costs.empty()) {
      const tasks::StepCost way = tasks::chosen_way(costs);
      if (way.way == StepWay::gang) members_ = way.count;
      serially = way.way == StepWay::serial;
      chosen =
          base::cat("execution: ", describe(costs), far ? "; links of 1 Gbit/s are assumed" : "");
    }
  }
  if (members_ > 1)
    require_gang(study, spec, params, members_, stages_ > 1, gpus, options.members_asked);
  if (stages_ > 1) require_stages(spec, stages_, gpus);
  tasks::train_serially(serially);
  tasks::train_in_stages(stages_);
  return chosen;
}

void Execution::start_members(const StudySpec& study, const RunOptions& options) {
  if (members_ == 1) return;
  const auto divided = stages_ > 1 ? tasks::Divided::layers : tasks::Divided::shards;
  if (options.on_agents()) {
    hosts_.emplace(study, options);
    gang_.emplace(members_, hosts_->start(), hosts_->place(), divided);
  } else {
    gang_.emplace(members_, std::vector<std::string>{base::this_program().string(), "member"},
                  divided);
  }
  tasks::train_with(&*gang_);
}

std::vector<std::string> Execution::take_news() {
  return gang_ ? gang_->take_news() : std::vector<std::string>();
}

void Execution::take(TrainResult& result) const {
  if (!gang_) return;
  result.members = gang_->use();
  result.staged = gang_->divided() == tasks::Divided::layers;
  result.changes = gang_->changes();
}

}  // namespace hpo
