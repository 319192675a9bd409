// A search with backtracking. First it decides by which of its atoms each forbidden combination
// is to be false, then it gives the parameters values; whatever it decides narrows what is left of
// the others. What order comparisons leave after that can be had, so it seldom goes back.

#include "hpo/space/fill.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "hpo/space/ties.h"

namespace hpo {

namespace {

/// Decisions of the searches that are tried one after the other, beside one for each parameter and
/// combination.
constexpr std::array kMostSteps{300, 300, 300, 3000};
/// What the decisions of a search may come to, each of which looks at every combination.
constexpr int kMostLooks = 500'000;
constexpr int kSweeps = 30;
/// Draws of a value before it stays as it is.
constexpr int kFillDraws = 8;

enum class Outcome : std::uint8_t { found, none, gave_up };

class Filling {
 public:
  Filling(const Space& space, const Params& given, Stream& stream)
      : space_(space), ties_(space), stream_(stream) {
    for (const Parameter& parameter : space.parameters())
      start_.left.emplace_back(parameter.domain);
    start_.chosen.resize(ties_.size());
    for (const std::size_t at : ties_.parameters()) {
      const Parameter& parameter = space.parameters()[at];
      const ParamValue* value = given.find(parameter.name);
      if (value == nullptr) {
        open_.push_back(at);
      } else {
        start_.left[at].keep(as_meant(parameter.domain, *value));
      }
    }
  }

  /// `base`: whose values are to be kept where they can be.
  Outcome run(const Params& base) {
    Outcome outcome = Outcome::gave_up;
    for (std::size_t i = 0; i < kMostSteps.size() && outcome == Outcome::gave_up; ++i) {
      wish(i == 0 ? base : Params{});
      stream_.shuffle(std::span(open_));
      const int ties = static_cast<int>(ties_.size());
      steps_left_ =
          std::min(kMostSteps[i], kMostLooks / ties) + ties + static_cast<int>(open_.size());
      State state = start_;
      outcome = ties_.narrow(state.left, state.chosen) ? search(std::move(state)) : Outcome::none;
    }
    return outcome;
  }

  /// Draws each value of what was found anew, `sweeps` times.
  void mix(int sweeps) {
    for (int i = 0; i < sweeps; ++i) {
      for (const std::size_t at : open_) redraw(at);
    }
  }

  /// The active ones of the values that were found.
  [[nodiscard]] Params values() const {
    Params point;
    for (const std::size_t at : space_.order()) {
      const bool named = std::ranges::binary_search(ties_.parameters(), at);
      if (named && space_.is_active(at, point))
        point.append(space_.parameters()[at].name, *found_[at].only());
    }
    return point;
  }

 private:
  struct State {
    std::vector<Left> left;
    std::vector<std::optional<std::size_t>> chosen;  ///< by combination: the atom to be false
  };

  void wish(const Params& base) {
    wished_ = start_.left;
    for (const std::size_t at : open_) {
      const ParamValue* value = base.find(space_.parameters()[at].name);
      if (value != nullptr && wished_[at].has(*value)) wished_[at].keep(*value);
    }
  }

  Outcome search(State state) {
    if (steps_left_-- == 0) return Outcome::gave_up;
    if (const auto tie = open_tie(state)) return decide(*tie, std::move(state));
    if (const auto at = next_parameter(state)) return give_value(*at, std::move(state));
    found_ = std::move(state.left);
    return Outcome::found;
  }

  /// A combination that may still be had.
  [[nodiscard]] std::optional<std::size_t> open_tie(const State& state) const {
    for (std::size_t tie = 0; tie < ties_.size(); ++tie) {
      if (!state.chosen[tie] && is_open(tie, state.left)) return tie;
    }
    return std::nullopt;
  }

  /// Of a combination that what is left was narrowed by: more than one atom can still be false.
  [[nodiscard]] bool is_open(std::size_t tie, const std::vector<Left>& left) const {
    bool open = false;
    for (std::size_t atom = 0; atom < ties_.atoms(tie); ++atom) {
      const Holds now = ties_.holds(tie, atom, left);
      if (now == Holds::never) return false;
      if (now == Holds::perhaps && std::exchange(open, true)) return true;
    }
    return false;
  }

  Outcome decide(std::size_t tie, State state) {
    std::vector<std::size_t> atoms(ties_.atoms(tie));
    std::iota(atoms.begin(), atoms.end(), std::size_t{0});
    stream_.shuffle(std::span(atoms));
    std::stable_partition(atoms.begin(), atoms.end(), [&](std::size_t atom) {
      return ties_.holds(tie, atom, wished_) == Holds::never;
    });
    for (const std::size_t atom : atoms) {
      State next = state;
      next.chosen[tie] = atom;
      if (!ties_.narrow(next.left, next.chosen)) continue;
      if (const Outcome outcome = search(std::move(next)); outcome != Outcome::none) return outcome;
    }
    return Outcome::none;
  }

  /// The next to be given a value: those first that can have the one that is wished.
  [[nodiscard]] std::optional<std::size_t> next_parameter(const State& state) const {
    std::optional<std::size_t> other;
    for (const std::size_t at : open_) {
      if (state.left[at].only()) continue;
      const auto wished = wished_[at].only();
      if (wished && state.left[at].has(*wished)) return at;
      if (!other) other = at;
    }
    return other;
  }

  Outcome give_value(std::size_t at, State state) {
    do {
      const auto wished = wished_[at].only();
      const bool has_it = wished && state.left[at].has(*wished);
      const ParamValue value = has_it ? *wished : state.left[at].draw(stream_);
      State next = state;
      next.left[at].keep(value);
      if (ties_.narrow(next.left, next.chosen)) {
        const Outcome outcome = search(std::move(next));
        if (outcome != Outcome::none) return outcome;
      } else if (steps_left_-- == 0) {
        return Outcome::gave_up;
      }
      state.left[at].take(value);
    } while (ties_.narrow(state.left, state.chosen));
    return Outcome::none;
  }

  void redraw(std::size_t at) {
    State state{.left = found_, .chosen = start_.chosen};
    state.left[at] = start_.left[at];
    if (!ties_.narrow(state.left, state.chosen)) return;
    for (int i = 0; i < kFillDraws; ++i) {
      std::vector<Left> next = state.left;
      next[at].keep(next[at].draw(stream_));
      if (!ties_.narrow(next, state.chosen)) continue;
      found_ = std::move(next);
      return;
    }
  }

  const Space& space_;
  Ties ties_;
  Stream& stream_;
  State start_;
  std::vector<std::size_t> open_;  ///< parameters that have no value yet, in the order of a search
  std::vector<Left> wished_;
  std::vector<Left> found_;  ///< with one value of each that combinations name
  int steps_left_ = 0;
};

Filled result(const Space& space, const Params& given, const Params& base, const Filling& filling) {
  Params chosen = filling.values();
  for (const auto& [name, value] : given) chosen.set(name, value);
  Params point = space.completed(chosen, base);
  if (!space.allows(point)) return {};
  return {.point = std::move(point)};
}

}  // namespace

Filled filled(const Space& space, const Params& given, const Params& base, Stream& stream) {
  Params point = space.completed(given, base);
  if (space.allows(point)) return {.point = std::move(point)};
  Filling filling(space, given, stream);
  const Outcome outcome = filling.run(point);
  if (outcome != Outcome::found) return {.is_none = outcome == Outcome::none};
  return result(space, given, point, filling);
}

Filled filled(const Space& space, const Params& given) {
  Stream stream(0, "filled");
  return filled(space, given, space.middle(), stream);
}

Filled drawn(const Space& space, Stream& stream) {
  std::vector<double> place(space.size());
  for (double& u : place) u = stream.uniform();
  Filling filling(space, {}, stream);
  const Outcome outcome = filling.run({});
  if (outcome != Outcome::found) return {.is_none = outcome == Outcome::none};
  filling.mix(kSweeps);
  return result(space, {}, space.from_unit(place), filling);
}

}  // namespace hpo
