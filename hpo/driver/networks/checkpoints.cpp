#include "hpo/driver/networks/checkpoints.h"

#include <algorithm>
#include <utility>

#include "runtime/nodes.h"
#include "runtime/store_task.h"

namespace hpo {

namespace {

/// A task that waits longer for a worker to rest goes before the others.
constexpr base::Duration kPatience = std::chrono::milliseconds(500);

}  // namespace

std::vector<base::Key> kept_networks(const std::vector<Reported>& reports, const Lineage& lineage) {
  constexpr std::size_t kKept = 2;
  std::vector<base::Key> keys;
  const auto keep = [&](const std::string& checkpoint) {
    const auto key = keys.size() < kKept ? base::Key::from_hex(checkpoint) : std::nullopt;
    if (key) keys.push_back(*key);
  };
  for (auto at = reports.rbegin(); at != reports.rend(); ++at) {
    if (keys.size() == kKept || at->epochs <= lineage.back().from) break;
    keep(at->checkpoint);
  }
  for (auto at = lineage.rbegin() + 1; at != lineage.rend(); ++at) keep(at->network.key);
  if (const auto shown = base::Key::from_hex(lineage.back().network.key)) keys.push_back(*shown);
  return keys;
}

Checkpoints::Checkpoints(std::shared_ptr<rt::Store> store, std::string owner)
    : store_(std::move(store)), owner_(std::move(owner)) {}

void Checkpoints::keep(std::vector<base::Key> networks) {
  if (!store_) return;
  networks_ = networks;
  store_->protect(owner_, std::move(networks));
}

void Checkpoints::bring() {
  const base::Moment here = base::now();
  if (coming_) {
    if (rt::coming_to_store() != 0) return;
    coming_ = false;
    const double share = store_->config().overhead.value_or(1);
    const double pause = base::seconds(here - asked_) * (1 / std::max(share, 1e-3) - 1);
    next_ = here + base::Duration(static_cast<std::int64_t>(pause * 1e9));
  }
  if (here < next_) return;
  for (const base::Key& key : networks_) {
    if (store_->contains(key) || !rt::bring_to_store(key)) continue;
    asked_ = here;
    coming_ = true;
    return;
  }
}

void Checkpoints::tick() {
  if (!store_) return;
  if (rt::takes_agents()) bring();
  const bool waits = running_ && !running_->ready();
  if (waits && (urgent_ || base::now() - called_ < kPatience)) return;
  if (!waits && !store_->due()) return;
  urgent_ = waits;
  called_ = base::now();
  running_ = rt::persist_results(urgent_ ? rt::Persist::before_others : rt::Persist::after_others);
  running_->demand();
}

}  // namespace hpo
