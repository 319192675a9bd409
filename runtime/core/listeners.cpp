#include "runtime/core/listeners.h"

#include <memory>
#include <utility>

#include "runtime/core/engine.h"
#include "runtime/core/node.h"

namespace rt::inline v0::detail {

/// On its way to the driver thread.
struct Listeners::Said : Event {
  Node& node;  ///< one reference
  std::string text;

  Said(Node& by, std::string what) : node(by), text(std::move(what)) {
    node.ref();
    Event::handle = [](Event* self, Engine& engine) {
      const std::unique_ptr<Said> said(static_cast<Said*>(self));
      engine.listeners().tell(said->node, said->text);
    };
  }
  ~Said() { node.unref(); }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
};

void Listeners::tell(const Node& node, std::string_view text) const {
  const auto at = all_.find(&node);
  if (at == all_.end()) return;
  const Heard heard = at->second;  // it may stop listening meanwhile
  heard(text);
}

void Listeners::send(Node& node, std::string text) {
  Engine::current()->mailbox().send(new Said(node, std::move(text)));
}

}  // namespace rt::inline v0::detail
