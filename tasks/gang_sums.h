#pragma once
// What a member of a gang asks of the others (nn/training/gang.h), over links between them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "nn/training/gang.h"
#include "nn/training/train.h"
#include "runtime/net/sums/bucket_sums.h"

namespace tasks {

/// The sums of one member, for one training after another. Not thread-safe. Throws
/// rt::net::sums::LinkLost; then this and the links are of no more use.
class GangSums final : public nn::GradientSums, public nn::SumsUnderWay {
 public:
  /// The links outlive this; `epoch` is that of their membership.
  explicit GangSums(rt::net::sums::Links& links, std::uint64_t epoch = 0);

  /// A training begins. `wish` says whether this member asks all of them to stop, `regroup` whether
  /// it asks for other members; null: never.
  void begin(nn::StopPredicate wish, nn::StopPredicate regroup = {});
  /// Returns true if a member asked, and all know: nn::train_steps()'s `stop` of a gang.
  [[nodiscard]] bool stopping() const noexcept { return stopping_; }
  /// The same for other members.
  [[nodiscard]] bool regrouping() const noexcept { return regrouping_; }

  [[nodiscard]] Shards own(int shards) const override;
  void gather(std::span<std::uint32_t> words) override;
  void sum(std::span<float* const> blocks, std::size_t count, int shards) override;

  /// Has a training's sums follow each backward pass, or go on while this member computes, as at
  /// first. The same on all members.
  void follow() noexcept { overlaps_ = false; }
  void overlap(const Rules& rules) noexcept {
    overlaps_ = true;
    rules_ = rules;
  }
  [[nodiscard]] nn::SumsUnderWay* under_way() override { return overlaps_ ? this : nullptr; }
  [[nodiscard]] Rules rules() const override { return rules_; }
  Ticket begin_gather(std::span<std::uint32_t> words, int shards) override;
  Ticket begin_reduce(const Part& part) override;
  Ticket begin_share(const Part& part) override;
  void advance() override;
  void await(Ticket ticket) override;

  /// Returns how long this member has worked for sums or waited for them, and how long some were on
  /// their way.
  [[nodiscard]] base::Duration waited() const noexcept { return waited_; }
  /// Returns the part of that time in which it had nothing to do but to wait for others.
  [[nodiscard]] base::Duration idle() const noexcept;
  [[nodiscard]] base::Duration under_way_for() const noexcept { return under_way_for_; }
  /// Returns what this member has sent.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  /// What this member wishes, in a word; those of all are added up.
  [[nodiscard]] std::uint32_t wishes() const;
  void heed(std::uint32_t wishes);
  /// Calls f, which may begin sums, and measures.
  template <class F>
  void timed(F f);
  template <class F>
  Ticket begun(F f);
  /// Gives the words of a gathering that has ended to whoever began it.
  void deliver();
  [[nodiscard]] rt::net::sums::BucketSums& sums_of(int shards);

  rt::net::sums::Links& links_;
  std::uint64_t epoch_;
  rt::net::sums::BucketSums gathering_;  ///< of words alone
  std::vector<std::uint32_t> words_;     ///< with the wish behind them
  std::optional<rt::net::sums::BucketSums> sums_;
  int shards_ = 0;            ///< of `sums_`
  std::uint64_t sent_ = 0;    ///< by earlier `sums_`
  base::Duration idled_{};    ///< in earlier `sums_`
  std::uint64_t number_ = 0;  ///< of gatherings and sums so far
  nn::StopPredicate wish_, regroup_;
  bool stopping_ = false, regrouping_ = false;
  bool overlaps_ = true;
  Rules rules_{};
  Ticket begun_ = 0;                      ///< of `sums_`
  Ticket gathering_ticket_ = 0;           ///< 0: no gathering is under way
  std::vector<std::uint32_t> under_way_;  ///< its words, with the wishes behind them
  std::span<std::uint32_t> gathers_into_;
  base::Duration waited_{}, under_way_for_{};
  std::optional<base::Moment> since_;  ///< when the first of those that are under way was begun
};

}  // namespace tasks
