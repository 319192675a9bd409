#include "tasks/step_cost.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "nn/training/train.h"
#include "nn/training/trainer.h"
#include "runtime/net/sums/cost.h"
#include "runtime/net/sums/tree.h"
#include "tasks/work.h"

namespace tasks {

namespace {

using rt::net::sums::Fabric;
using rt::net::sums::Shape;

/// The part of the computation behind which sums hide: measured by `bench distributed`. The first
/// layer's gradient comes last and is needed first, so the time around it hides nothing.
constexpr double kHides = 0.5;
constexpr double kWorthIt = 1.05;
/// A byte of a sum through memory is written, read, added and copied; a turn takes a wake-up.
constexpr double kMemoryPasses = 4;
constexpr double kTurn = 2e-5;
/// Core seconds of a byte that a member sends over a network while another one comes: it is
/// encrypted, copied and added (measured on a Xeon of 2023: 22 ms for 11.6 MB).
constexpr double kSecureByte = 1.9e-9;

/// A training, and the machine that it is for.
class Steps {
 public:
  Steps(const nn::ModelSpec& spec, const nn::Hyper& hyper, const rt::Platform& platform, bool far)
      : platform_(platform),
        far_(far),
        network_(network_work_of(spec)),
        shards_(nn::shards_of(hyper, spec)),
        batch_(hyper.batch),
        update_(rt::seconds_on(
            platform.cpu,
            {.bytes = network_.weights *
                      (3 + 2 * static_cast<double>(nn::optimizer_slots(hyper.optimizer))),
             .launches = 2})) {}

  [[nodiscard]] int shards() const { return shards_; }

  /// That many shards are computed one after another where the most are.
  [[nodiscard]] StepCost together(StepWay way, int count) const {
    const int own = (shards_ + count - 1) / count;
    return {.way = way, .count = count, .compute = compute(own), .update = update_};
  }

  [[nodiscard]] StepCost gang(int members) const {
    StepCost cost = together(StepWay::gang, members);
    const double all = sum_seconds(members);
    // The first layers' gradient comes last, and with it the last bucket.
    const double last = all / std::max(1.0, network_.products);
    cost.sums = std::max(all - kHides * cost.compute, last);
    if (far_) cost.sums += kSecureByte * 2 * network_.weights * (members - 1) / members;
    return cost;
  }

 private:
  /// Seconds of that many shards on one core.
  [[nodiscard]] double compute(int shards) const {
    const double rows = batch_ * shards / shards_;
    return rt::seconds_on(platform_.cpu,
                          {.flops = network_.training * rows,
                           .bytes = 2 * network_.weights * shards + 4 * network_.activations * rows,
                           .launches = shards * (3 * network_.products + 2 * network_.passes)});
  }

  /// A gradient's sum over the members, by the way that GangSums takes.
  [[nodiscard]] double sum_seconds(int members) const {
    using rt::net::sums::Way;
    const Shape shape{.members = members,
                      .shards = shards_,
                      .count = static_cast<std::size_t>(network_.weights / sizeof(float))};
    const Way way{.kind = rt::net::sums::is_balanced(members, shards_) ? Way::Kind::halving
                                                                       : Way::Kind::subtrees};
    return rt::net::sums::seconds_of(way, shape, fabric(members));
  }

  [[nodiscard]] Fabric fabric(int members) const {
    if (!far_) return {{{members, kTurn, platform_.cpu.bandwidth / kMemoryPasses}}};
    rt::LinkModel link = platform_.nodes.link.bandwidth > 0 ? platform_.nodes.link : kGigabit;
    // Of members in several groups the slowest link on the way is taken for each message.
    for (const rt::LevelModel& level : platform_.nodes.levels) {
      if (members <= level.nodes) break;
      link.latency += level.link.latency;
      link.bandwidth = std::min(link.bandwidth, level.link.bandwidth);
    }
    return {{{members, link.latency, link.bandwidth}}};
  }

  const rt::Platform& platform_;
  bool far_;
  NetworkWork network_;
  int shards_;
  double batch_;
  double update_;
};

}  // namespace

std::string StepCost::word() const {
  switch (way) {
    case StepWay::serial:
      return "serial";
    case StepWay::shards:
      return "shards";
    case StepWay::gang:
      break;
  }
  return base::cat("gang:", count);
}

std::vector<StepCost> step_costs(const nn::ModelSpec& spec, const nn::Hyper& hyper,
                                 const rt::Platform& platform, const StepPlaces& places) {
  const Steps steps(spec, hyper, platform, places.far);
  const int workers = std::min(places.workers, steps.shards());
  std::vector<StepCost> costs{steps.together(StepWay::serial, 1)};
  if (workers > 1) costs.push_back(steps.together(StepWay::shards, workers));
  const int members =
      std::min(places.far ? places.members : std::min(places.members, workers), steps.shards());
  for (int count = 2; count <= members; ++count)
    if ((steps.shards() + count - 1) / count <= nn::kShardsSideBySide)
      costs.push_back(steps.gang(count));
  return costs;
}

bool is_worth_it(const StepCost& way, const StepCost& simpler) {
  return kWorthIt * way.seconds() < simpler.seconds();
}

StepCost chosen_way(std::span<const StepCost> costs) {
  const double best = std::ranges::min_element(costs, {}, &StepCost::seconds)->seconds();
  return *std::ranges::find_if(
      costs, [&](const StepCost& cost) { return cost.seconds() <= kWorthIt * best; });
}

}  // namespace tasks
