#pragma once
// A port at which a driver says that it lives, for those that share no lock with it.
//
// Who knows the driver's token, which it wrote into the study's folder beside its addresses, sends
// one line and gets one back. Nobody else gets an answer. Nothing that is said is secret, and
// nothing is taken from what is said but that the driver lives.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/pipe.h"

namespace hpo {

/// Answers for as long as it lives, on a thread that sleeps until somebody asks.
class LivenessPort {
 public:
  /// Listens on every network of this machine, on 127.0.0.1 where there is none. Throws nothing:
  /// where the system refuses, `address` is empty.
  LivenessPort();
  ~LivenessPort();
  LivenessPort(const LivenessPort&) = delete;
  LivenessPort& operator=(const LivenessPort&) = delete;

  /// The token and the addresses, in one line: "TOKEN 10.0.0.7:41234 [fd00::7]:41234".
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  /// Somebody who connected, and what it said so far.
  struct Caller {
    base::File socket;
    std::string said;
  };

  void serve() const;
  void admit(std::vector<Caller>& callers) const;
  /// True when nothing more is to be said to that caller.
  [[nodiscard]] bool hear(Caller& caller) const;

  std::string token_, address_;
  base::File listener_;
  base::Pipe stop_;
  std::jthread thread_;
};

enum class Liveness : std::uint8_t {
  answers,  ///< the driver with that token lives
  refused,  ///< nobody listens at any of its addresses
  silent,   ///< no answer: it does not live, is frozen or cannot be reached
};

/// Asks the driver at a LivenessPort's address, once; waits at most `patience`.
[[nodiscard]] Liveness ask_driver(std::string_view address, base::Duration patience);

}  // namespace hpo
