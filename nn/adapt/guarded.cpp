#include "nn/adapt/guarded.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "nn/adapt/grid.h"
#include "nn/error.h"

namespace nn {
namespace {

constexpr std::size_t kLongestWhy = 300;

/// Calls `ask`, the function `name` of a plugin. Turns what it throws into a base::Error that
/// begins with the plugin's path.
template <class Ask>
std::invoke_result_t<const Ask&> guard(const std::string& plugin, std::string_view name,
                                       const Ask& ask) {
  const std::string who = plugin + ": " + std::string(name);
  try {
    return ask();
  } catch (const base::Error& error) {
    throw base::Error(base::Errc::study, who + ": " + base::printable(error.what(), kLongestWhy));
  } catch (const std::exception& error) {
    throw base::Error(base::Errc::study,
                      who + " threw \"" + base::printable(error.what(), kLongestWhy) + "\"");
  } catch (...) {
    throw base::Error(base::Errc::study, who + " threw something that is not a std::exception");
  }
}

class Guarded final : public Policy {
 public:
  Guarded(std::unique_ptr<Policy> policy, const PolicySetup& setup)
      : policy_(std::move(policy)),
        plugin_(setup.adaptation.plugin),
        born_(setup.spec),
        epochs_(setup.epochs),
        most_(setup.adaptation.max_weights) {
    if (policy_ == nullptr) fail("its make gave no policy");
    grid_ = asked("grid()", [&] { return policy_->grid(); });
    if (grid_ < 1 || grid_ > kMaxGrid)
      fail("its grid is " + std::to_string(grid_) + ", expected from 1 to " +
           std::to_string(kMaxGrid));
    wants_ = asked("wants()", [&] { return policy_->wants(); });
    penalty_ = asked("penalty()", [&] { return policy_->penalty(); });
    if (!std::isfinite(penalty_.strength) || penalty_.strength < 0)
      fail("its penalty has the strength " + to_text(penalty_.strength) + ", expected at least 0");
    rows_ = asked("rows()", [&] { return policy_->rows(); });
    if (rows_ < 0) fail("its rows are " + std::to_string(rows_) + ", expected at least 0");
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }
  [[nodiscard]] Wants wants() const override { return wants_; }
  [[nodiscard]] UnitPenalty penalty() const override { return penalty_; }
  [[nodiscard]] std::int64_t rows() const override { return rows_; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    const auto at = asked("next()", [&] { return policy_->next(now); });
    if (at && (*at < now || *at <= had_))
      fail("next(" + std::to_string(now) + ") is " + std::to_string(*at) +
           (*at < now ? ", expected that boundary or a later one"
                      : ", where it already had its turn"));
    return at;
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    had_ = std::max(had_, situation.now);
    Turn turn = asked("turn()", [&] { return policy_->turn(situation); });
    check(turn, situation);
    turn.why = base::printable(turn.why, kLongestWhy);
    return turn;
  }

  [[nodiscard]] std::optional<std::vector<Operations>> options(
      const ModelSpec& spec) const override {
    return asked("options()", [&] { return policy_->options(spec); });
  }

  [[nodiscard]] double cost(const ModelSpec& spec) const override {
    return asked("cost()", [&] { return policy_->cost(spec); });
  }

  void judge(Round& round) const override {
    asked("judge()", [&] { policy_->judge(round); });
    const auto accepted = std::ranges::count_if(round.candidates, &Candidate::accepted);
    if (accepted != 1)
      fail("its judge accepts " + std::to_string(accepted) + " candidates, expected one");
    for (Candidate& candidate : round.candidates)
      candidate.why = base::printable(candidate.why, kLongestWhy);
  }

  void told(const Round& round) override {
    had_ = std::max(had_, round.from);
    asked("told()", [&] { policy_->told(round); });
  }

 private:
  template <class Ask>
  std::invoke_result_t<const Ask&> asked(std::string_view name, const Ask& ask) const {
    return guard(plugin_, name, ask);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw base::Error(base::Errc::study, plugin_ + ": " + what);
  }

  void check(const Turn& turn, const Situation& situation) const {
    const std::string when =
        "its turn at epoch " +
        to_text(static_cast<double>(situation.now) / static_cast<double>(grid_)) + " ";
    if (!turn.ask.empty()) fail(when + "asks a program, which is for Trellis's own policies");
    const std::int64_t end = epochs_ * grid_;
    if (turn.race_until && (*turn.race_until <= situation.now || *turn.race_until > end))
      fail(when + "races from boundary " + std::to_string(situation.now) + " to " +
           std::to_string(*turn.race_until) + ", expected a later one, up to " +
           std::to_string(end));
    if (!turn.race_until && turn.candidates.size() > 1)
      fail(when + "has " + std::to_string(turn.candidates.size()) +
           " candidates and no race_until, expected one");
    if (!turn.births.empty() && !(turn.race_until && wants_.births))
      fail(when + "has births, expected race_until and wants().births with them");
    for (const Operations& operations : turn.candidates)
      check(operations, situation.spec, when, most_);
    for (const Birth& birth : turn.births) {
      check(birth.operations, born_, when + "has a birth and ", most_);
      if (!std::isfinite(birth.pull) || birth.pull < 0)
        fail(when + "has a birth with the pull " + to_text(birth.pull) + ", expected at least 0");
    }
  }

  void check(const Operations& operations, ModelSpec spec, const std::string& when,
             std::uint64_t most) const {
    for (const Operation& operation : operations) {
      try {
        spec = reshaped_within(spec, complete(operation), most);
      } catch (const SpecError& error) {
        fail(when + "asks for what can't be done: " + error.what());
      }
    }
  }

  std::unique_ptr<Policy> policy_;
  std::string plugin_;
  ModelSpec born_;
  std::int64_t epochs_, grid_ = 1, rows_ = 0;
  std::uint64_t most_;
  Wants wants_;
  UnitPenalty penalty_;
  std::int64_t had_ = -1;  ///< boundary of the last turn
};

}  // namespace

std::unique_ptr<Policy> guarded(const PolicyKind& kind, const PolicySetup& setup) {
  std::optional<SpecError> refusal;  // of the network: it names the field at fault
  auto policy = guard(setup.adaptation.plugin, "make()", [&]() -> std::unique_ptr<Policy> {
    try {
      return kind.make(setup);
    } catch (const SpecError& error) {
      refusal = error;
      return nullptr;
    }
  });
  if (refusal) throw SpecError(*refusal);
  return std::make_unique<Guarded>(std::move(policy), setup);
}

}  // namespace nn
