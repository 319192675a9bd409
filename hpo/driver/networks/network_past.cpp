// Where an attempt of a trial begins: in the store, or by going through the past again.

#include <optional>
#include <utility>

#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/networks/past_trial.h"
#include "hpo/driver/networks/trial_plan.h"
#include "nn/adapt/operation_json.h"
#include "tasks/continued.h"

namespace hpo {

namespace {

/// The network that the store has under a key of the log; nothing when it has none that fits.
std::optional<rt::Value<nn::ParamSlab>> stored_network(std::string_view key, const TrialPlan& plan,
                                                       bool keeps_size) {
  const std::optional<base::Key> name = base::Key::from_hex(key);
  if (!name) return {};
  std::optional<rt::Value<nn::ParamSlab>> net = rt::stored<nn::ParamSlab>(*name);
  if (!net) return {};
  const nn::ParamSlab::Header& there = net->get().header();
  const nn::ParamSlab::Header& asked = plan.network->header;
  // A network that changed its size looks as its rounds made it.
  const bool fits = keeps_size ? there == asked
                               : there.optimizer == asked.optimizer && there.slots == asked.slots;
  return fits ? net : std::nullopt;
}

}  // namespace

tasks::TrainingSetup NetworkWork::setup_of(const TrialSpec& spec, const StudyData& data) const {
  tasks::DeviceRule devices = device_rule(spec.resources);
  if (as_born_)
    devices.gpu_from = devices.kind_for(spec.model, spec.hyper) == rt::Device::cuda
                           ? 0
                           : tasks::DeviceRule::kNever;
  return {.data = data.value,
          .hyper = spec.hyper,
          .train_rows = data.train_rows,
          .seed = data.seeds.init,
          .devices = devices};
}

std::optional<AdaptingNetwork> NetworkWork::stored(const Checkpoint& checkpoint,
                                                   const TrialPlan& plan, const StudyData& data,
                                                   const std::vector<Adapted>& rounds) const {
  if (newest_ && newest_->first == checkpoint.key)
    return AdaptingNetwork(plan, setup_of(plan.spec, data), newest_->second, checkpoint.epochs,
                           rounds);
  const bool keeps_size = !plan.spec.adapt && study_.reshape.empty();
  auto net = stored_network(checkpoint.key, plan, keeps_size);
  if (!net) return {};
  return AdaptingNetwork(plan, setup_of(plan.spec, data), std::move(*net), checkpoint.epochs,
                         rounds);
}

AdaptingNetwork NetworkWork::fresh(std::uint64_t trial, const TrialPlan& plan,
                                   const StudyData& data) const {
  tasks::TrainingSetup setup = setup_of(plan.spec, data);
  setup.apart = apart(trial);
  rt::Value<nn::ParamSlab> net = first_network(trial, plan, data);
  if (!data.model.empty()) setup.first = net;
  return {plan, std::move(setup), std::move(net)};
}

rt::Value<nn::ParamSlab> NetworkWork::first_network(std::uint64_t trial, const TrialPlan& plan,
                                                    const StudyData& data) const {
  if (data.model.empty()) return tasks::init(plan.network->header, data.seeds.init, apart(trial));
  nn::Continuation how = data.how;
  how.keeps_optimizer = plan.keeps_optimizer;
  return tasks::continued(data.model, plan.network->header, how, data.seeds.init, apart(trial));
}

AdaptingNetwork NetworkWork::handed_on(const AdaptingNetwork& network, const Stage& from,
                                       const Stage& to, const StudyData& data) const {
  const std::int32_t slots = plan_of(from.params, data)->network->header.slots;
  const PlanPtr plan = plan_of(to.params, data);
  const bool fits = slots == plan->network->header.slots;
  rt::Value<nn::ParamSlab> net =
      fits ? network.net() : tasks::with_slots_for(network.net(), plan->spec.hyper.optimizer);
  return {*plan, setup_of(plan->spec, data), std::move(net), network.model(), to.from};
}

rt::Async<void> NetworkWork::reshape_copy(AdaptingNetwork& network, TrialContext& trial) const {
  const auto most = static_cast<std::uint64_t>(study_.limits.weights.value_or(0));
  nn::Operations operations = nn::operations_from_json(trial.lineage().back().operations);
  rt::Async<void> reshaping = network.reshape(std::move(operations), most, trial);
  co_await std::move(reshaping);
}

rt::Async<NetworkWork::Grown> NetworkWork::grow(Lineage past) {
  const StudyData& data = data_of(past.front().params);
  std::optional<AdaptingNetwork> network;
  std::size_t done = past.size();
  for (; done > 0; --done) {
    const Stage& stage = past[done - 1];
    network = stored(stage.network, *plan_of(stage.params, data), data, stage.rounds);
    if (network) break;
  }
  const std::int64_t found = done > 0 ? past[done - 1].network.epochs : 0;
  for (; done < past.size(); ++done) {
    const Stage& stage = past[done];
    PastTrial trial(stage);
    if (done == 0) {
      network.emplace(fresh(stage.trial, *plan_of(stage.params, data), data));
    } else {
      network.emplace(handed_on(*network, past[done - 1], stage, data));
      rt::Async<void> reshaping = reshape_copy(*network, trial);
      co_await std::move(reshaping);
    }
    for (const std::int64_t boundary : report_boundaries(study_, stage.network.epochs)) {
      if (boundary <= stage.from) continue;
      rt::Async<void> training = network->advance(boundary, trial);
      co_await std::move(training);
    }
  }
  co_return Grown{std::move(*network), found};
}

rt::Async<NetworkWork::Grown> NetworkWork::begin(TrialContext& trial, PlanPtr plan,
                                                 const StudyData& data) {
  const std::span<const Reported> logged = trial.logged();
  Lineage lineage = trial.lineage();
  const Stage now = lineage.back();
  std::size_t before = 0;
  while (before < logged.size() && logged[before].epochs <= now.from) ++before;
  const std::size_t usable = AdaptingNetwork::goes_on_anywhere(plan->spec) ? logged.size() : 0;
  for (std::size_t reports = usable; reports > before; --reports) {
    const Reported& report = logged[reports - 1];
    auto found =
        stored({report.epochs, report.checkpoint}, *plan, data, trial.rounds_before(reports));
    if (!found) continue;
    trial.go_on_behind(reports);
    co_return Grown{std::move(*found), report.epochs};
  }
  lineage.pop_back();
  if (lineage.empty()) co_return Grown{fresh(trial.trial(), *plan, data), 0};
  trial.go_on_behind(before);
  const Stage from = lineage.back();
  rt::Async<Grown> growing = grow(std::move(lineage));
  const Grown grown = co_await std::move(growing);
  Grown begun{handed_on(grown.network, from, now, data), now.from};
  rt::Async<void> reshaping = reshape_copy(begun.network, trial);
  co_await std::move(reshaping);
  co_return begun;
}

}  // namespace hpo
