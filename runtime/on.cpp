#include "runtime/on.h"

#include "runtime/core/engine.h"

namespace rt::inline v0 {

On::On(Device kind) : before_(detail::Engine::for_driver("rt::On").scope().use(kind)) {}

On::~On() {
  if (detail::Engine* engine = detail::Engine::current()) engine->scope().use(before_);
}

}  // namespace rt::inline v0
