#include "runtime/core/promises.h"

#include <algorithm>
#include <mutex>

#include "runtime/core/engine.h"

namespace rt::inline v0::detail {

namespace {

struct Guards {
  std::mutex mutex;
  std::list<const PromiseGuard*> all;
};

Guards& guards() {
  static Guards guards;
  return guards;
}

}  // namespace

std::vector<const PromiseGuard*> open_promises() {
  Guards& known = guards();
  const std::scoped_lock lock(known.mutex);
  std::vector<const PromiseGuard*> found;
  for (const PromiseGuard* guard : known.all) {
    if (guard->open()) found.push_back(guard);
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const PromiseGuard* guard) { return guard->by_program(); });
  return found;
}

std::string place_of(const std::source_location& where) {
  return std::string(where.file_name()) + ':' + std::to_string(where.line());
}

PromiseGuard::PromiseGuard(Held version, Promiser by, std::source_location where)
    : version_(std::move(version)), by_(by), where_(where) {
  Guards& known = guards();
  const std::scoped_lock lock(known.mutex);
  entry_ = known.all.insert(known.all.end(), this);
}

PromiseGuard::~PromiseGuard() {
  {
    Guards& known = guards();
    const std::scoped_lock lock(known.mutex);
    known.all.erase(entry_);
  }
  Engine* engine = Engine::current();
  if (engine == nullptr || version_->settled()) return;
  engine->poison(*version_.get(),
                 std::make_exception_ptr(
                     base::Error(base::Errc::usage, "a promise was dropped before it was set")));
}

std::string PromiseGuard::text() const {
  if (by_program()) return "the promise made at " + place_of(where_) + ", which was not set";
  return "the coroutine started at " + place_of(where_) + ", which is suspended meanwhile";
}

Held promised(const TypeOps* type) { return Held(Version::create(type)); }

void fulfil(Version* version, BoxRef box) {
  Engine& engine = Engine::for_driver("Promise::set");
  if (version->settled()) throw base::Error(base::Errc::usage, "Promise::set: it was set already");
  if (version->ops == type_ops<void>()) box = BoxRef();
  engine.fulfil(*version, std::move(box));
}

void refuse(Version* version, std::exception_ptr error) {
  Engine& engine = Engine::for_driver("Promise::fail");
  if (version->settled()) throw base::Error(base::Errc::usage, "Promise::fail: it was set already");
  engine.poison(*version, std::move(error));
}

void Engine::fulfil(Version& version, BoxRef content) {
  held_back_ = 0;
  version.settle(std::move(content), Stage::ready, nullptr);
  drain_ready();
}

void Engine::poison(Version& version, std::exception_ptr error) {
  auto* failure = new Failure;
  failure->error = std::move(error);
  held_back_ = 0;
  version.settle({}, Stage::failed, failure);
  failure->unref();
  drain_ready();
}

}  // namespace rt::inline v0::detail
