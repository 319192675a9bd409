#include "tasks/open_gangs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "nn/optimizers/stale.h"
#include "nn/training/trainer.h"
#include "runtime/codec.h"
#include "runtime/net/sums/schedule.h"
#include "tasks/step_cost.h"

namespace tasks {

namespace {

/// Visitors stay for the next training of a trial, which is evaluated in between.
constexpr base::Duration kLinger = std::chrono::seconds(2);

OpenGangs* the_open_gangs = nullptr;

}  // namespace

OpenGangs::OpenGangs(rt::net::Network& network, rt::net::Identity own, std::string at,
                     Sameness same, VisitorRules rules)
    : network_(network),
      own_(std::move(own)),
      at_(std::move(at)),
      rules_(std::move(rules)),
      far_(
          network, own_, at_, std::move(same), [](int, std::uint64_t) {}, [](std::uint64_t) {},
          {}) {}

/// Gangs end before what their members' processes refer to.
OpenGangs::~OpenGangs() {
  const std::lock_guard lock(mutex_);
  all_.clear();
}

OpenGangs::Visitors OpenGangs::visitors_for(const nn::ParamSlab::Header& net,
                                            const nn::Hyper& hyper) const {
  const int shards = nn::shards_of(hyper, net.spec);
  const int members = std::min(rules_.members, shards);
  // Whoever is left alone has all shards. Members do not copy the units of a reshaped network.
  if (net.reshaped || members < 2 || shards > nn::kShardsSideBySide ||
      nn::staleness_of(hyper.optimizer))
    return {};
  const auto count = [](int processes) { return static_cast<std::uint32_t>(processes - 1); };
  if (!rules_.judges) return {.least = 1, .most = count(members)};
  const std::vector<StepCost> costs =
      step_costs(net.spec, hyper, rules_.platform, {.members = members, .far = true});
  const StepCost best = chosen_way(costs);
  if (best.way != StepWay::gang) return {};
  const auto pays = [&](const StepCost& cost) {
    return cost.way == StepWay::gang && is_worth_it(cost, costs.front());
  };
  return {.least = count(std::ranges::find_if(costs, pays)->count), .most = count(best.count)};
}

OpenGangs::Open& OpenGangs::free_gang() {
  Open* free = nullptr;
  for (Open& open : all_)
    if (!open.trains && (free == nullptr || open.gang->visited())) free = &open;
  if (free != nullptr) return *free;
  Open& made = all_.emplace_back();
  made.gang = std::make_shared<Gang>(
      rules_.members, std::make_unique<DoorsPlace>(network_.open_door(own_, at_), new_token()));
  made.invitation = {far_.address(), new_token()};
  far_.open(made.invitation.token, [gang = std::weak_ptr(made.gang)](StartedMember visitor) {
    const std::shared_ptr<Gang> there = gang.lock();
    return there && there->admit(std::move(visitor));
  });
  return made;
}

class OpenGangs::Turn {
 public:
  Turn(OpenGangs& all, const Visitors& visitors) : all_(all) {
    const std::lock_guard lock(all_.mutex_);
    open_ = &all_.free_gang();
    open_->trains = true;
    open_->visitors = visitors;
  }
  ~Turn() {
    const std::lock_guard lock(all_.mutex_);
    open_->trains = false;
    open_->until = base::now();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] Gang& gang() const { return *open_->gang; }

 private:
  OpenGangs& all_;
  Open* open_;
};

nn::TrainStats OpenGangs::train(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                                nn::ParamSlab& net, const nn::Dataset& data, const nn::Hyper& hyper,
                                const nn::Segment& segment, const nn::StopPredicate& stop,
                                nn::Parallel* parallel) {
  const Visitors visitors = visitors_for(net.header(), hyper);
  if (visitors.most == 0)
    return nn::train_steps(kernels, workspace, net, data.view(nn::Part::train), hyper, segment,
                           stop, parallel);
  const Turn turn(*this, visitors);
  return turn.gang().train_with_visitors(kernels, workspace, net, data, hyper, segment, stop,
                                         parallel);
}

std::vector<rt::net::Wish> OpenGangs::wishes() const {
  const std::lock_guard lock(mutex_);
  std::vector<rt::net::Wish> wishes;
  for (const Open& open : all_)
    if (open.trains || base::now() - open.until < kLinger)
      wishes.push_back({.number = open.invitation.token,
                        .least = open.visitors.least,
                        .most = open.visitors.most,
                        .terms = rt::encode(open.invitation)});
  return wishes;
}

VisitorUse OpenGangs::use() const {
  const std::lock_guard lock(mutex_);
  VisitorUse all;
  for (const Open& open : all_) {
    all.joined += open.gang->changes().joined;
    const std::vector<MemberUse> members = open.gang->use();
    for (std::size_t i = 1; i < members.size(); ++i) all.seconds += members[i].busy;
  }
  return all;
}

void train_with(OpenGangs* gangs) { the_open_gangs = gangs; }
OpenGangs* open_gangs_of_training() { return the_open_gangs; }
VisitorUse visitors_of_trainings() {
  return the_open_gangs != nullptr ? the_open_gangs->use() : VisitorUse();
}

}  // namespace tasks
