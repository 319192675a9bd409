#include "runtime/listener.h"

#include "runtime/core/engine.h"
#include "runtime/core/node.h"

namespace rt::inline v0 {

Listener::Listener(const detail::Held& version, Heard heard) : node_(version->producer) {
  if (node_ != nullptr && version->settled()) node_ = nullptr;
  if (node_ == nullptr) return;
  node_->ref();
  detail::Engine::current()->listeners().add(*node_, std::move(heard));
}

Listener::~Listener() {
  if (node_ == nullptr) return;
  if (detail::Engine* const engine = detail::Engine::current()) engine->listeners().remove(*node_);
  node_->unref();
}

}  // namespace rt::inline v0
