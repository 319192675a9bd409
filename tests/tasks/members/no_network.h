#pragma once
// A network without links, for tests of what has one.

#include <memory>
#include <string>

#include "runtime/net/transport.h"

namespace tasks_test {

/// A door at which nobody meets.
class NoDoor final : public rt::net::MemberDoor {
 public:
  [[nodiscard]] std::string address() const override { return "nowhere:1"; }
  [[nodiscard]] std::unique_ptr<rt::net::sums::Links> meet(const rt::net::Meeting&,
                                                           base::Duration) override {
    return nullptr;
  }
  void cut() noexcept override {}
};

/// Tests override what they need.
class NoNetwork : public rt::net::Network {
 public:
  std::unique_ptr<rt::net::Transport> listen(const rt::net::Identity&, const std::string&,
                                             rt::net::Inbox&) override {
    return nullptr;
  }
  std::unique_ptr<rt::net::Transport> connect(const rt::net::Identity&, rt::net::Listener,
                                              rt::net::Inbox&) override {
    return nullptr;
  }
  rt::net::Authority make_authority() override { return {}; }
  rt::net::Identity issue(const rt::net::Authority&, bool) override { return {}; }
  std::unique_ptr<rt::net::MemberDoor> open_door(const rt::net::Identity&,
                                                 const std::string&) override {
    return std::make_unique<NoDoor>();
  }
  [[nodiscard]] std::string fault_of(const rt::net::Identity&) override { return {}; }
};

}  // namespace tasks_test
