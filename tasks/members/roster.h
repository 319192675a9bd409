#pragma once
// Who is a member of a gang now, as its first process knows: it starts the others, hears from them,
// replaces those that end or fall silent, and says who the members of the next steps are.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "tasks/member_use.h"
#include "tasks/members/channel.h"
#include "tasks/members/elastic_sums.h"
#include "tasks/members/places.h"
#include "tasks/members/process.h"
#include "tasks/members/waker.h"

namespace tasks {

/// The first process is member 0. Agreement is for the thread that trains, everything else is
/// thread-safe.
class Roster final : public Agreement {
 public:
  /// Returns a process for that seat, from 1 on, or throws. Called here and on a thread of the
  /// roster.
  using Start = std::function<StartedMember(int seat)>;

  /// Starts members - 1 processes, which meet at that place.
  Roster(int members, Start start, std::unique_ptr<Place> place);
  /// Starts none: up to members - 1 visitors come by join() and go when they like, also in the
  /// middle of a step. Nobody waits for visitors, and none is replaced.
  Roster(int members, std::unique_ptr<Place> place);
  /// Ends them.
  ~Roster() override;
  Roster(const Roster&) = delete;
  Roster& operator=(const Roster&) = delete;

  /// Takes a visitor in. Returns false if all seats are taken.
  [[nodiscard]] bool join(StartedMember visitor);
  /// Returns true if a visitor is here, in a training or not.
  [[nodiscard]] bool visited() const noexcept { return visited_; }

  /// A training begins. `files` are for the others and stay open until over(); with fewer members
  /// than `fewest` it waits for more.
  void begin(std::uint32_t data_number, std::span<const int> files, int fewest);
  /// The training is over, whether it came to its end or not.
  void over();

  [[nodiscard]] std::optional<Members> next(std::int64_t done,
                                            const nn::StopPredicate& stopping) override;
  [[nodiscard]] bool newcomers() const override { return newcomers_; }
  void stepped() override;
  [[nodiscard]] bool leave() override;

  [[nodiscard]] int members() const noexcept { return static_cast<int>(others_.size()) + 1; }
  /// What each seat's processes did, from member 1 on.
  [[nodiscard]] std::vector<MemberUse> use() const;
  [[nodiscard]] GangChanges changes() const;
  /// Takes what happened to members since the last call: a line each.
  [[nodiscard]] std::vector<std::string> take_news();

 private:
  /// A seat of a member besides the first one, and the process that has it now.
  struct Other {
    std::optional<Channel> channel;  ///< none: no process has the seat
    std::unique_ptr<MemberProcess> process;
    bool here = false;     ///< it has said a word
    bool ready = false;    ///< it waits for members
    bool left = false;     ///< it takes no more part in the training
    int number = -1;       ///< as a member of this epoch; -1: it is none
    int silent_looks = 0;  ///< since its last word
    base::Moment heard{};  ///< when that was
    std::int64_t done = 0;
    MemberUse before{}, now{};
    int tries = 0;  ///< processes that ended since the last step with new members
    base::Moment start_at{}, came{};
    std::string address;  ///< of its door
    std::string end;      ///< how the one before it ended
    bool joins = false;   ///< it came while others trained
    bool tried = false;   ///< it has been ready before
  };

  void start(Other& other);
  void keep();
  void hear(Other& other);
  void take(Other& other, const Notice& notice);
  void look_for_silent(Other& other);
  void replace_lost();
  void bury(Other& other);
  void seat(Other& other, StartedMember started);
  void tell_training(Other& other);
  [[nodiscard]] int seat_of(const Other& other) const;
  [[nodiscard]] std::string name_of(const Other& other) const;
  [[nodiscard]] bool may_come(const Other& other) const;
  [[nodiscard]] bool all_ready(bool first_time) const;
  [[nodiscard]] int ready_count() const;
  [[nodiscard]] Members form(std::int64_t done, bool stopping);
  void send_members(Order order);

  const Start start_;  // none: others come by join()
  const std::unique_ptr<Place> place_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Other> others_;
  std::vector<std::string> news_;
  GangChanges changes_;
  bool active_ = false;  // a training runs
  std::uint32_t training_ = 0, data_number_ = 0;
  std::vector<int> files_;
  int fewest_ = 1;
  std::uint64_t epoch_ = 0;
  bool formed_ = false;                  // this training has had members
  base::Moment begun_{};                 // this training
  std::optional<base::Moment> lost_at_;  // since which no step has ended
  std::atomic<bool> newcomers_ = false;
  std::atomic<bool> visited_ = false;
  bool ending_ = false;
  Waker wake_;  // of the keeper
  std::thread keeper_;
};

}  // namespace tasks
