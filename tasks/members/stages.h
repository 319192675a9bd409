#pragma once
// The links of a member of a gang that has a stage of the network, and no shards of its own
// (nn/training/stage_member.h). Whoever is a member changes between steps.

#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.h"
#include "nn/training/gang.h"
#include "runtime/net/sums/exchange.h"
#include "runtime/net/sums/handovers.h"
#include "runtime/net/sums/links.h"

namespace tasks {

/// For one training. Methods of StageLinks throw nn::MembersChanged where a link ends.
class MemberStages final : public nn::StageLinks {
 public:
  /// A gang has at most so many members.
  explicit MemberStages(int most_members) : most_members_(most_members) {}

  /// These are the members from now on. The links outlive leave().
  void enter(rt::net::sums::Links& links, std::uint64_t epoch);
  /// Forgets what is on its way.
  void leave();

  [[nodiscard]] int own() const override { return links_->own(); }
  [[nodiscard]] int members() const override { return links_->members(); }
  [[nodiscard]] int most_members() const override { return most_members_; }
  void hand_on(const Crossing& crossing, std::span<const std::span<const float>> arrays) override;
  void take(const Crossing& crossing, std::span<const std::span<float>> arrays) override;
  void advance() override;
  void await_handed_back() override;
  void share(std::int64_t step, std::span<const Piece> pieces, float* block) override;

  /// Returns how long this member has sent and taken, or waited for others.
  [[nodiscard]] base::Duration waited() const noexcept { return waited_; }
  /// Returns the part of that time in which it had nothing to do but to wait.
  [[nodiscard]] base::Duration idle() const noexcept;
  /// Returns what it has sent.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  /// Calls f, which uses the links, and measures.
  template <class F>
  void timed(F f);
  [[nodiscard]] rt::net::sums::HandoverTag tag_of(const Crossing& crossing) const;

  int most_members_;
  rt::net::sums::Links* links_ = nullptr;  ///< null: there are no members
  std::uint64_t epoch_ = 0;
  std::optional<rt::net::sums::Handovers> handovers_;
  std::optional<rt::net::sums::Exchange> sharing_;
  base::Duration waited_{}, idled_{};  ///< `idled_`: with earlier links
  std::uint64_t sent_ = 0;             ///< over earlier links
};

}  // namespace tasks
