#pragma once
// The sums of a member of a gang whose members come and go (nn/training/gang.h).

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "nn/training/gang.h"
#include "runtime/net/sums/links.h"
#include "tasks/gang_sums.h"
#include "tasks/member_use.h"
#include "tasks/members/stages.h"

namespace tasks {

/// The members of a gang for some steps, as one of them sees them.
struct Members {
  std::uint64_t epoch = 0;
  std::int64_t done = 0;    ///< steps that the one that is ahead has done
  int source = 0;           ///< which one that is
  std::vector<int> behind;  ///< those that copy what it has
  bool stopping = false;    ///< somebody asked for an end
  std::unique_ptr<rt::net::sums::Links> links;
};

/// How a member learns who the others are.
class Agreement {
 public:
  virtual ~Agreement() = default;
  /// Says how many steps this member has done (-1: it has not even the network), and waits for
  /// members. `stopping`: whether it asks all to stop. None: the training is over, or this member
  /// asked while it waited and nobody can go on without it. Throws rt::net::sums::LinkLost if one
  /// is lost before there are links, and is called again.
  [[nodiscard]] virtual std::optional<Members> next(std::int64_t done,
                                                    const nn::StopPredicate& stopping) = 0;
  /// Returns true if members wait to be let in.
  [[nodiscard]] virtual bool newcomers() const { return false; }
  /// The first step with these members is done.
  virtual void stepped() {}
  /// As nn::GradientSums::leave().
  [[nodiscard]] virtual bool leave() = 0;
};

/// What a member did so far in its trainings. One thread notes, any thread reads.
class UseNotes {
 public:
  void note(const MemberUse& use) noexcept;
  [[nodiscard]] MemberUse read() const noexcept;

 private:
  std::atomic<double> busy_ = 0, waited_ = 0, moved_ = 0, under_way_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
};

class ElasticSums final : public nn::GradientSums, public nn::SumsUnderWay {
 public:
  /// For one training. `first`: this member has the network from the beginning, and `wish` says
  /// whether it asks all to stop, for good. `most_stages`: the members have stages of the network,
  /// and are at most so many; 0: they have shards. The others are referred to and outlive this.
  ElasticSums(Agreement& agreement, UseNotes& notes, bool first, nn::StopPredicate wish,
              int most_stages = 0);

  [[nodiscard]] Shards own(int shards) const override;
  void gather(std::span<std::uint32_t> words) override;
  void sum(std::span<float* const> blocks, std::size_t count, int shards) override;
  [[nodiscard]] nn::SumsUnderWay* under_way() override { return stages_ ? nullptr : this; }
  [[nodiscard]] nn::StageLinks* stages() override { return stages_ ? &*stages_ : nullptr; }
  [[nodiscard]] bool agree(nn::GangPoint& point) override;
  [[nodiscard]] bool goes_on() override;
  [[nodiscard]] bool leave() override;

  [[nodiscard]] Rules rules() const override { return {.undoes = true}; }
  Ticket begin_gather(std::span<std::uint32_t> words, int shards) override;
  Ticket begin_reduce(const Part& part) override;
  Ticket begin_share(const Part& part) override;
  void advance() override;
  void await(Ticket ticket) override;

  /// nn::train_steps()'s `stop`.
  [[nodiscard]] bool stopping() const noexcept { return stopping_; }

 private:
  template <class F>
  auto guarded(F f);
  void bring_up(const Members& members, nn::GangPoint& point);
  void drop_links();
  void note_use();

  Agreement& agreement_;
  UseNotes& notes_;
  nn::StopPredicate wish_;
  const MemberUse before_;  // of earlier trainings
  const base::Moment begun_ = base::now();
  std::unique_ptr<rt::net::sums::Links> links_;
  std::optional<GangSums> sums_;  // over these links
  std::optional<MemberStages> stages_;
  bool has_network_;
  bool stopping_ = false;
  int asked_ = 0;  // times that goes_on() was, since agree(); 3: more often than twice
  base::Duration waited_{}, idle_{}, under_way_{};  // with earlier links
  std::uint64_t bytes_ = 0;                         // with earlier links
};

}  // namespace tasks
