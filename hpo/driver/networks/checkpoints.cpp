#include "hpo/driver/networks/checkpoints.h"

#include <utility>

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
  if (store_) store_->protect(owner_, std::move(networks));
}

void Checkpoints::tick() {
  if (!store_) return;
  const bool waits = running_ && !running_->ready();
  if (waits && (urgent_ || base::now() - called_ < kPatience)) return;
  if (!waits && !store_->due()) return;
  urgent_ = waits;
  called_ = base::now();
  running_ = rt::persist_results(urgent_ ? rt::Persist::before_others : rt::Persist::after_others);
  running_->demand();
}

}  // namespace hpo
