#include "runtime/on.h"

#include <utility>

#include "runtime/core/engine.h"

namespace rt {

On::On(Device kind) : before_(std::exchange(detail::Engine::for_driver("rt::On").wanted, kind)) {}

On::~On() {
  if (detail::Engine* engine = detail::Engine::current()) engine->wanted = before_;
}

}  // namespace rt
