#include "nn/adapt/auto.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/text.h"
#include "nn/error.h"
#include "nn/model/layout.h"

namespace nn {
namespace {

// By the development tasks of bench/adapt; nothing changes much for half or twice of any of them.
constexpr std::int64_t kFirst = 32;  // units of a layer that the trial begins with
constexpr std::int64_t kSmallest = 4, kLargest = 1024;
constexpr double kPull = 0.1;  // as prune's strength
constexpr int kMoreLayers = 3;
// A larger network is clearly better when its loss is below so many times the other's, and its
// score so much higher: percent of the rows, or of the variance of numbers.
constexpr double kBetterLoss = 0.95, kBetterScore = 0.5;
// A doubling costs about as much as three times everything before it, so it has to bring so many
// times what the last one had to; but no more than so many standard errors of a score: where many
// rows tell, a small difference is one.
constexpr double kMoreScore = 2, kBetterErrors = 1.5;
// A smaller network is nearly as good as the best when neither is worse by more than this: so many
// times the loss and a little more, as losses near 0 differ by chance; so many points, or standard
// errors where those are fewer points, but a row and a half in any case.
constexpr double kNearLoss = 1.1, kLittleLoss = 0.005;
constexpr double kNearScore = 0.8, kNearErrors = 0.7, kNearRows = 1.5;

constexpr std::int64_t kGrid = 16;   // boundaries an epoch
constexpr std::int64_t kRaces = 12;  // before the end: all that there may be
constexpr std::int64_t kUnitsAChannel = 8;

const LayerSpec* layer_called(const ModelSpec& spec, const std::string& name) {
  const auto found = std::ranges::find(spec.layers, name, &LayerSpec::name);
  return found == spec.layers.end() ? nullptr : &*found;
}

bool is_convolution(const ModelSpec& spec, const std::string& name) {
  const LayerSpec* layer = layer_called(spec, name);
  return layer != nullptr && layer->kind == "conv2d";
}

std::int64_t units_at(const ModelSpec& spec, const std::string& layer, std::int64_t units) {
  return is_convolution(spec, layer) ? std::max<std::int64_t>(1, units / kUnitsAChannel) : units;
}

/// What gives every layer of `spec` that many units; nothing where one can't have them.
std::optional<Operations> sized(const ModelSpec& spec, std::int64_t units) {
  Operations out;
  const auto groups = unit_groups(spec);
  for (const std::string& layer : resizable_layers(spec)) {
    const std::int64_t now = std::ranges::find(groups, layer, &UnitGroup::name)->units;
    const std::int64_t then = units_at(spec, layer, units);
    if (then == now) continue;
    out.push_back({then > now ? "widen" : "shrink", layer, {{"to", then}}});
  }
  if (!spec_after(spec, out)) return std::nullopt;
  return out;
}

/// What gives every layer of `spec` so many times its units.
std::optional<Operations> scaled(const ModelSpec& spec, std::int64_t times) {
  Operations out;
  if (times == 1) return out;
  const auto groups = unit_groups(spec);
  for (const std::string& layer : resizable_layers(spec)) {
    const std::int64_t now = std::ranges::find(groups, layer, &UnitGroup::name)->units;
    out.push_back({"widen", layer, {{"to", now * times}}});
  }
  if (!spec_after(spec, out)) return std::nullopt;
  return out;
}

/// The most units that a layer has.
std::int64_t largest_layer(const ModelSpec& spec) {
  std::int64_t most = 1;
  const auto groups = unit_groups(spec);
  for (const std::string& layer : resizable_layers(spec))
    most = std::max<std::int64_t>(most, std::ranges::find(groups, layer, &UnitGroup::name)->units);
  return most;
}

/// The layer behind which others come: the last dense one that has units of its own, else the last.
std::string last_layer(const ModelSpec& spec) {
  std::string last;
  for (const std::string& layer : resizable_layers(spec))
    if (last.empty() || !is_convolution(spec, layer) || is_convolution(spec, last)) last = layer;
  return last;
}

/// The largest number of units, from `units` down, that the bound on weights allows.
std::int64_t within(const Adaptation& adaptation, const ModelSpec& spec, std::int64_t units) {
  if (adaptation.max_weights == 0) return units;
  for (; units > 1; units /= 2) {
    const auto operations = sized(spec, units);
    const auto shape = operations ? spec_after(spec, *operations) : std::nullopt;
    if (shape && weight_count(*shape) <= adaptation.max_weights) break;
  }
  return units;
}

ModelSpec born(const Adaptation& adaptation, const ModelSpec& spec) {
  const auto operations = sized(spec, within(adaptation, spec, kFirst));
  return operations ? *spec_after(spec, *operations) : spec;
}

/// Percent of the rows that are right; of numbers, whose variance is 1, of the variance explained.
double score(const Candidate& candidate) {
  return 100 * (std::isnan(candidate.accuracy) ? 1 - candidate.loss : candidate.accuracy);
}

/// The standard error of the score of so many rows; infinite for numbers, where nothing is known
/// of it.
double error_of(const Candidate& candidate, std::int64_t rows) {
  if (std::isnan(candidate.accuracy)) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(rows);
  return 100 * std::sqrt(std::max(1 / count, 1 - candidate.accuracy) / count);
}

bool clearly_better(const Candidate& one, const Candidate& other, double by, std::int64_t rows) {
  if (std::isnan(one.loss)) return false;
  if (std::isnan(other.loss)) return true;
  by = std::min(by, kBetterErrors * error_of(other, rows));
  return one.loss < other.loss * kBetterLoss && score(one) >= score(other) + by;
}

bool nearly_as_good(const Candidate& one, const Candidate& best, std::int64_t rows) {
  const double rows_of_it = 100 * kNearRows / static_cast<double>(rows);
  const double near =
      std::min(kNearScore, std::max(rows_of_it, kNearErrors * error_of(best, rows)));
  return one.loss <= best.loss * kNearLoss + kLittleLoss && score(one) >= score(best) - near;
}

/// A loss that is no number is above all others.
const Candidate& lowest_loss(const Round& round) {
  const Candidate* best = &round.candidates.front();
  for (const Candidate& candidate : round.candidates)
    if (candidate.loss < best->loss || std::isnan(best->loss)) best = &candidate;
  return *best;
}

class Auto final : public Policy {
 public:
  explicit Auto(const PolicySetup& setup)
      : born_(setup.spec),
        max_weights_(setup.adaptation.max_weights),
        end_(setup.epochs * kGrid),
        continued_(setup.adaptation.continued) {
    if (resizable_layers(born_).empty()) {
      throw SpecError(-1, "", "auto: no layer can be resized");
    }
    if (continued_) {
      // What was trained keeps its units; they may have become too few.
      stage_ = Stage::doubling;
      size_.units = 1;
      largest_ = std::max<std::int64_t>(1, kLargest / largest_layer(born_));
      if (asked().empty()) stage_ = Stage::over;
    } else {
      size_.units = within(setup.adaptation, born_, kFirst);
    }
  }

  [[nodiscard]] std::int64_t grid() const override { return kGrid; }
  [[nodiscard]] Wants wants() const override { return {.births = true, .gains = true}; }
  [[nodiscard]] UnitPenalty penalty() const override { return {own_pull(), 0}; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    if (stage_ == Stage::over) return std::nullopt;
    const std::int64_t at = std::max({now, end_ - kRaces, done_ + 1});
    return at < end_ ? std::optional(at) : std::nullopt;
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    done_ = situation.now;
    Turn turn{.race_until = situation.now + 1};
    // The last boundary there is, or nothing more to try: all are compared.
    if (situation.now + 1 < end_) turn.births = births(asked());
    if (turn.births.empty()) turn.births = births(others());
    if (turn.births.empty()) return {};
    return turn;
  }

  /// What a turn may come to: the smallest network there is.
  [[nodiscard]] std::optional<std::vector<Operations>> options(const ModelSpec&) const override {
    std::vector<Operations> out;
    if (continued_) return out;
    if (auto smallest = sized(born_, kSmallest)) out.push_back(std::move(*smallest));
    return out;
  }

  void judge(Round& round) const override {
    if (!is_final(round)) {
      for (Candidate& candidate : round.candidates)
        candidate.why = "compared with the others at the end";
      round.candidates.front().accepted = true;
      round.candidates.front().why = what_it_showed(round);
      return;
    }
    const Candidate* best = &lowest_loss(round);
    Candidate* chosen = &round.candidates.front();
    bool found = false;
    for (Candidate& candidate : round.candidates) {
      const bool near = &candidate == best || nearly_as_good(candidate, *best, round.rows);
      candidate.why = &candidate == best ? "the lowest loss"
                      : near             ? "nearly as good as the best"
                                         : "worse than the best by more than noise";
      if (near && (!found || candidate.inference_flops < chosen->inference_flops)) {
        chosen = &candidate;
        found = true;
      }
    }
    chosen->accepted = true;
    if (chosen != best)
      chosen->why = "the smallest that is nearly as good as " + best->shape + ", whose loss is " +
                    base::with_digits(best->loss, 4);
    chosen->why += neighbours_of(*chosen, round);
  }

  void told(const Round& round) override {
    done_ = round.from;
    if (is_final(round)) {
      stage_ = Stage::over;
      return;
    }
    rows_ = round.rows;
    // On paper nothing races, and a round tells of one network.
    if (round.candidates.size() <= asked().size()) {
      stage_ = Stage::over;
      return;
    }
    remember(round);
    advance();
  }

 private:
  enum class Stage : std::uint8_t { widths, depth, doubling, last, over };

  /// Sizes of networks: units of a layer (of one that was trained before: times its own), and
  /// layers more than the study file gives.
  struct Size {
    std::int64_t units = 0;
    int layers = 0;
    bool operator==(const Size&) const = default;
  };

  /// A network that is asked for.
  struct Asked {
    Size size;
    Birth birth;
  };
  struct Tried : Asked {
    Candidate result;
  };

  /// The operations that make a birth of that size; nothing where they can't be done.
  [[nodiscard]] std::optional<Operations> operations_of(const Size& size) const {
    std::optional<Operations> out =
        continued_ ? scaled(born_, size.units) : sized(born_, size.units);
    if (!out) return std::nullopt;
    for (int i = 0; i < size.layers; ++i)
      out->push_back({"deepen", last_layer(born_), {{"form", "identity"}}});
    const std::optional<ModelSpec> shape = spec_after(born_, *out);
    if (!shape || (max_weights_ > 0 && weight_count(*shape) > max_weights_)) return std::nullopt;
    for (Operation& operation : *out) operation = complete(operation);
    return out;
  }

  /// What the stage asks for, as far as the network and the bound on weights allow it. What it is
  /// follows from the rounds before, so whoever has those knows the sizes of the candidates, too.
  [[nodiscard]] std::vector<Asked> asked() const {
    std::vector<Asked> out;
    const auto add = [&](const Size& size, double pull) {
      if (auto operations = operations_of(size)) out.push_back({size, {*operations, pull}});
    };
    if (stage_ == Stage::widths) {
      for (std::int64_t units = kSmallest; units <= size_.units; units *= 2)
        for (const double pull : {0.0, kPull})
          if (units != size_.units || pull != kPull) add({units, 0}, pull);  // the trial's own
    } else if (stage_ == Stage::depth) {
      add({size_.units, size_.layers + 1}, pull_of(size_));
    } else if (stage_ == Stage::doubling && 2 * size_.units <= largest_) {
      add({2 * size_.units, size_.layers}, pull_of(size_));
    }
    return out;
  }

  [[nodiscard]] static std::vector<Birth> births(const auto& networks) {
    std::vector<Birth> out;
    for (const Asked& one : networks) out.push_back(one.birth);
    return out;
  }

  /// The networks that raced, the trial's own left out, which comes first.
  [[nodiscard]] std::span<const Tried> others() const {
    return std::span(tried_).subspan(tried_.empty() ? 0 : 1);
  }

  /// The candidates of a round: the trial's own network, then what was asked for.
  void remember(const Round& round) {
    const std::vector<Asked> networks = asked();
    if (tried_.empty()) tried_.push_back({{size_, {{}, own_pull()}}, round.candidates.front()});
    for (std::size_t i = 0; i < networks.size(); ++i)
      tried_.push_back({networks[i], round.candidates.at(i + 1)});
  }

  /// Of the trial's own network. One that was trained before is not pulled: its units are of use.
  [[nodiscard]] double own_pull() const { return continued_ ? 0 : kPull; }

  /// The tried network of that size with the lowest loss; null where there is none.
  [[nodiscard]] const Tried* best_of(const Size& size) const {
    const Tried* best = nullptr;
    for (const Tried& tried : tried_)
      if (tried.size == size && (best == nullptr || tried.result.loss < best->result.loss))
        best = &tried;
    return best;
  }

  /// The pull that did better at that size.
  [[nodiscard]] double pull_of(const Size& size) const {
    const Tried* best = best_of(size);
    return best != nullptr ? best->birth.pull : own_pull();
  }

  [[nodiscard]] bool is_better(const Size& one, const Size& other, double by = kBetterScore) const {
    const Tried *a = best_of(one), *b = best_of(other);
    return a != nullptr && b != nullptr && clearly_better(a->result, b->result, by, rows_);
  }

  /// What a round that is not the last one shows, in words.
  [[nodiscard]] std::string what_it_showed(const Round& round) const {
    if (stage_ == Stage::widths) {
      const Candidate& best = lowest_loss(round);
      return "small networks: the lowest loss is that of " + best.shape + ", " +
             base::with_digits(best.loss, 4);
    }
    const Candidate& larger = round.candidates.back();
    const Tried* tried = best_of(size_);
    const Candidate& before = tried != nullptr ? tried->result : round.candidates.front();
    const bool wider = stage_ == Stage::doubling;
    const bool better =
        clearly_better(larger, before, wider ? needed_ * kMoreScore : kBetterScore, round.rows);
    return std::string(wider ? "twice the units" : "a layer more") + ": loss " +
           base::with_digits(before.loss, 4) + " -> " + base::with_digits(larger.loss, 4) +
           (better ? ", clearly better" : ", not clearly better");
  }

  /// What networks of sizes beside that of `chosen` came to, in words.
  [[nodiscard]] std::string neighbours_of(const Candidate& chosen, const Round& round) const {
    if (round.candidates.size() != tried_.size()) return "";
    const auto size_of = [&](const Candidate& candidate) {
      return tried_[static_cast<std::size_t>(&candidate - round.candidates.data())].size;
    };
    const Size size = size_of(chosen);
    std::string text;
    const auto add = [&](const std::string& what, const Size& other) {
      const Candidate* best = nullptr;
      for (const Candidate& candidate : round.candidates)
        if (size_of(candidate) == other && (best == nullptr || candidate.loss < best->loss))
          best = &candidate;
      if (best != nullptr) text += "; " + what + ": " + base::with_digits(best->loss, 4);
    };
    add("with twice the units", {2 * size.units, size.layers});
    if (size.units % 2 == 0) add("with half of them", {size.units / 2, size.layers});
    add("with a layer more", {size.units, size.layers + 1});
    return text;
  }

  /// To the next stage that has something to try, by what is known now.
  void advance() {
    if (stage_ == Stage::widths) {
      stage_ = Stage::depth;
    } else if (stage_ == Stage::depth) {
      const Size deeper{size_.units, size_.layers + 1};
      if (is_better(deeper, size_)) {
        size_ = deeper;
        if (size_.layers == kMoreLayers) stage_ = Stage::doubling;
      } else {
        stage_ = Stage::doubling;
        if (size_.layers == 0 && !is_better(size_, {size_.units / 2, 0})) stage_ = Stage::last;
      }
    } else if (stage_ == Stage::doubling) {
      const Size wider{2 * size_.units, size_.layers};
      needed_ *= kMoreScore;
      const bool goes_on = is_better(wider, size_, needed_);
      size_ = wider;
      if (!goes_on || 2 * size_.units > largest_) stage_ = Stage::last;
    }
    if (stage_ == Stage::depth && asked().empty()) {
      stage_ = is_better(size_, {size_.units / 2, 0}) ? Stage::doubling : Stage::last;
    }
    if (stage_ == Stage::doubling && asked().empty()) stage_ = Stage::last;
  }

  /// Nothing comes behind it: everything was tried, or the training ends with it.
  [[nodiscard]] bool is_final(const Round& round) const {
    return stage_ == Stage::last || round.until >= end_;
  }

  ModelSpec born_;
  std::uint64_t max_weights_;
  std::int64_t end_;  ///< the boundary where training ends
  bool continued_;
  std::int64_t largest_ = kLargest;  ///< of Size::units
  Stage stage_ = Stage::widths;
  Size size_;                     ///< what is held against the next
  std::int64_t rows_ = 1;         ///< that networks are compared on
  double needed_ = kBetterScore;  ///< of the next doubling
  std::vector<Tried> tried_;
  std::int64_t done_ = -1;  ///< boundary of the last turn
};

}  // namespace

PolicyKind auto_policy() {
  return {
      .info = {.kind = "auto",
               .doc = "Finds a suitable size for the network. Small networks are trained from "
                      "scratch. Layers and units are added as long as each addition makes the "
                      "network clearly better. The result is the smallest network that is nearly "
                      "as good as the best one. Any sizes given in `network` are ignored.",
               .fields = {}},
      .birth = born,
      .make = [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
        return std::make_unique<Auto>(setup);
      }};
}

}  // namespace nn
