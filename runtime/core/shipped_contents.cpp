// Contents that a driver's agents keep, and those that they ask for.
#include <utility>

#include "base/file.h"
#include "runtime/core/contents.h"
#include "runtime/core/engine.h"
#include "runtime/core/shipping.h"
#include "runtime/failure.h"

namespace rt::inline v0::detail {

bool Shipping::await_content(Version& version, Waiter& waiter) {
  if (!is_away(version)) return false;
  Away& away = *version.box->away;
  if (!away.arrived.add(&waiter)) return false;
  if (std::exchange(away.asked, true)) return true;
  wanted_[away.key].push_back(version.box);
  ++wants_;
  dispatcher_->want(away.key, base::now());
  return true;
}

bool Shipping::bring(base::Key key) {
  if (!engine_.config().store || !dispatcher_->kept(key)) return false;
  if (!brought_.insert(key).second) return true;
  dispatcher_->retain(key);
  dispatcher_->want(key, base::now());
  return true;
}

void Shipping::arrived(base::Key key, const net::Dispatcher::Blob& content) {
  if (brought_.erase(key) != 0) {
    if (content) engine_.config().store->insert(key, content);
    const std::scoped_lock lock(mutex_);
    released_.push_back(key);
  }
  const auto at = wanted_.find(key);
  if (at == wanted_.end()) return;
  const std::vector<BoxRef> boxes = std::move(at->second);
  wanted_.erase(at);
  for (const BoxRef& box : boxes) {
    --wants_;
    Away& away = *box->away;
    try {
      if (!content)
        throw base::Error(base::Errc::internal, "a value was lost with every node that had it");
      decode_content(*box.get(), *content);
    } catch (const std::exception&) {
      away.failure = new Failure;
      away.failure->error = std::current_exception();
    }
    away.arrived.close();
  }
}

net::Dispatcher::Blob Shipping::content(base::Key key) {
  if (const auto at = here_.find(key); at != here_.end()) {
    return std::make_shared<const base::Bytes>(
        encoded_content(*at->second.get(), engine_.handles()));
  }
  if (const auto at = files_.find(key); at != files_.end()) {
    if (file_read_.first == key && file_read_.second) return file_read_.second;
    try {
      file_read_ = {key, std::make_shared<const base::Bytes>(base::read_bytes(at->second))};
      file_read_at_ = base::now();
      return file_read_.second;
    } catch (const base::Error&) {
      return nullptr;
    }
  }
  const auto& store = engine_.config().store;
  return store ? store->lookup(key) : nullptr;
}

void Shipping::unneeded(base::Key key) {
  here_.erase(key);
  files_.erase(key);
}

void Shipping::release(base::Key key) noexcept {
  const std::scoped_lock lock(mutex_);
  released_.push_back(key);
}

void Shipping::handle_releases() {
  std::vector<base::Key> keys;
  {
    const std::scoped_lock lock(mutex_);
    keys.swap(released_);
  }
  for (const base::Key& key : keys) dispatcher_->release(key);
}

}  // namespace rt::inline v0::detail
