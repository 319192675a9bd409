#include "hpo/driver/checkpoints.h"

#include <utility>

#include "runtime/store_task.h"

namespace hpo {

namespace {

/// A task that waits longer for a worker to rest goes before the others.
constexpr base::Duration kPatience = std::chrono::milliseconds(500);

}  // namespace

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
