#pragma once
// A member of a gang besides the first one, as its process or a thread sees it.

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tasks/members/channel.h"
#include "tasks/members/elastic_sums.h"
#include "tasks/members/places.h"

namespace tasks {

/// The first process is gone: there is nothing more to do.
class FirstIsGone {};

/// For the thread that trains. Every method throws FirstIsGone; next() also what Enter throws.
class Follower final : public Agreement {
 public:
  /// Says that it is here, and from now on every quarter of a second that it is alive. The channel
  /// outlives it. `address`: of its door, if it has one.
  Follower(const Channel& channel, Enter enter, const std::string& address = {});
  ~Follower() override;
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// Waits for a training: an order of that kind, with its files.
  [[nodiscard]] Channel::Received next_training();
  /// Ends the part in that training.
  void end_training();

  [[nodiscard]] std::optional<Members> next(std::int64_t done,
                                            const nn::StopPredicate& stopping) override;
  [[nodiscard]] bool leave() override;

  [[nodiscard]] UseNotes& notes() noexcept { return notes_; }

 private:
  void say(Notice::Kind kind, std::int64_t done = 0) const;
  [[nodiscard]] Channel::Received next_order() const;
  [[nodiscard]] std::unique_ptr<rt::net::sums::Links> enter(const Channel::Received& order);
  void say_alive();

  const Channel& channel_;
  const Enter enter_;
  std::array<char, kAddress> address_{};
  UseNotes notes_;
  std::uint32_t training_ = 0;
  int missed_ = 0;  // places in a row that it could not enter
  std::mutex mutex_;
  std::condition_variable ending_changed_;
  bool ending_ = false;
  std::thread pulse_;
};

}  // namespace tasks
