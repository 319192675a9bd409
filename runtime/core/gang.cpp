#include "runtime/core/gang.h"

#include "runtime/core/backend.h"
#include "runtime/core/ranks.h"

namespace rt::inline v0::detail {

Gang::Gang(int cpus)
    : missing_(cpus - 1), present_(cpus), helpers_(static_cast<std::size_t>(cpus - 1)) {
  for (Launch& helper : helpers_) {
    helper.gang = this;
    helper.stands_aside = true;
    helper.priority = kGangPriority;
    helper.name = "stand aside";
  }
}

void Gang::call(Backend& backend) {
  // The first to come may leave, and with it the list, only after the last was sent for.
  const std::size_t count = helpers_.size();
  for (std::size_t i = 0; i < count; ++i) backend.submit(helpers_[i]);
}

void Gang::assemble() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return missing_ == 0; });
}

void Gang::dismiss() noexcept {
  std::unique_lock lock(mutex_);
  done_ = true;
  changed_.notify_all();
  leave(std::move(lock));
}

void Gang::attend() noexcept {
  std::unique_lock lock(mutex_);
  if (--missing_ == 0) changed_.notify_all();
  changed_.wait(lock, [this] { return done_; });
  leave(std::move(lock));
}

void Gang::leave(std::unique_lock<std::mutex> lock) noexcept {
  const bool last = --present_ == 0;
  lock.unlock();
  if (last) delete this;
}

}  // namespace rt::inline v0::detail
