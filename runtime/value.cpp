#include "runtime/value.h"

#include "runtime/core/away.h"
#include "runtime/core/engine.h"
#include "runtime/core/keys.h"
#include "runtime/core/thread.h"

namespace rt::inline v0 {

const char* state_name(State state) noexcept {
  switch (state) {
    case State::waiting:
      return "waiting";
    case State::ready:
      return "ready";
    case State::failed:
      return "failed";
    case State::cancelled:
      return "cancelled";
  }
  return "?";
}

namespace detail {

namespace {

Version& named(const Held& version, const char* action) {
  if (!version) throw base::Error(base::Errc::usage, std::string(action) + " of an empty Value");
  return *version.get();
}

}  // namespace

State ValueBase::state() const {
  switch (named(version_, "state()").at()) {
    case Stage::ready:
      return State::ready;
    case Stage::failed:
      return State::failed;
    case Stage::cancelled:
      return State::cancelled;
    default:
      return State::waiting;
  }
}

base::Key ValueBase::key() const {
  Version& version = named(version_, "key()");
  if (!version.key) {
    Engine& engine = Engine::for_driver("key()");
    if (version.open != nullptr || !version.settled()) engine.wait_for(&version, "Value::key");
    if (version.at() > Stage::ready) std::rethrow_exception(version.failure->error);
    key_by_content(version, engine.handles());
  }
  return version.key;
}

void ValueBase::demand() const {
  Version& version = named(version_, "demand()");
  if (version.open == nullptr && version.settled()) return;
  Engine& engine = Engine::for_driver("demand()");
  engine.flush();
  engine.demand(&version);
  engine.flush();
}

const void* ValueBase::wait_object() const {
  Version& version = named(version_, "get()");
  if (this_thread().running != nullptr) (void)Engine::for_driver("get()");
  if (version.open != nullptr || !version.settled() || is_away(version)) {
    Engine::for_driver("get()").wait_for(&version, "Value::get");
  }
  return settled_object(&version);
}

}  // namespace detail
}  // namespace rt::inline v0
