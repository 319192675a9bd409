// Who listens to what running bodies say.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace rt::inline v0::detail {

struct Node;

/// Driver thread only, but where it says otherwise.
class Listeners {
 public:
  using Heard = std::function<void(std::string_view text)>;

  void add(const Node& node, Heard heard) { all_[&node] = std::move(heard); }
  void remove(const Node& node) { all_.erase(&node); }
  /// Hands it on; nobody may listen.
  void tell(const Node& node, std::string_view text) const;

  /// Hands it on, on the driver thread, before the node's end. From the node's body.
  static void send(Node& node, std::string text);

 private:
  struct Said;
  std::map<const Node*, Heard> all_;
};

}  // namespace rt::inline v0::detail
