#include "nn/adapt/prune.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "nn/adapt/grid.h"
#include "nn/error.h"

namespace nn {
namespace {

std::vector<FieldInfo> prune_fields() {
  return {
      {.name = "strength",
       .min = 0,
       .max = 1e3,
       .value = 0.1,
       .doc = "Strength with which units are pulled to 0. A unit without a gradient loses this "
              "share of its layer's mean norm in an epoch of the highest learning rate."},
      {.name = "every",
       .min = 0,
       .max = 1e6,
       .value = 1.0,
       .doc = "Epochs between two removals.",
       .min_excluded = true},
      {.name = "from",
       .min = 0,
       .max = 1e6,
       .value = 0.0,
       .doc = "Epoch of the first removal. 0: after the first `every` epochs."},
      {.name = "until",
       .type = FieldType::integer,
       .min = 0,
       .max = 1e6,
       .value = std::int64_t{0},
       .doc = "Epoch after which no unit is pulled or removed. 0: the end of the training."},
      {.name = "threshold",
       .min = 0,
       .max = 1,
       .value = 0.1,
       .doc = "Largest norm of a unit that is removed, as a share of the mean norm of its layer."},
      {.name = "keep",
       .min = 0,
       .max = 1e6,
       .value = 1.0,
       .doc = "Smallest size that every layer keeps. From 1 on: a number of units. Below 1: a "
              "share of the initial units."},
      {.name = "refit",
       .type = FieldType::boolean,
       .value = true,
       .doc = "Least-squares refit of the layers that read a removed unit, unless the unit is "
              "exactly 0."}};
}

/// The units of a layer that are to go.
struct Weak {
  std::string layer;
  std::size_t units = 0, of = 0;
  bool exact = true;  ///< all their numbers are 0
};

class Prune final : public Policy {
 public:
  explicit Prune(const PolicySetup& setup) {
    const Fields& fields = setup.adaptation.policy.fields;
    const double times[] = {real(fields, "every"), real(fields, "from")};
    grid_ = grid_of(times);
    penalty_ = {real(fields, "strength"), integer(fields, "until")};
    beat_ = Beat::of(times[0], times[1], static_cast<double>(penalty_.until), setup.epochs, grid_);
    threshold_ = real(fields, "threshold");
    refit_ = boolean(fields, "refit");
    const double keep = real(fields, "keep");
    for (const UnitNumbers& layer : unit_numbers(setup.spec)) {
      const auto units = static_cast<double>(layer.units);
      const double least = keep < 1 ? std::ceil(keep * units) : std::floor(keep);
      least_[layer.layer] = static_cast<std::size_t>(std::max(1.0, least));
      removable_ = removable_ || least < units;
    }
    if (!removable_) {
      throw SpecError(-1, "keep",
                      least_.empty()
                          ? "prune: there is nothing to remove: no layer of this network can be "
                            "resized"
                          : "prune: there is nothing to remove: every layer has what keep holds "
                            "on to");
    }
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }
  [[nodiscard]] Wants wants() const override { return {.norms = true}; }
  [[nodiscard]] UnitPenalty penalty() const override { return penalty_; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    return beat_.from(std::max(now, done_ + 1));
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    done_ = situation.now;
    Operations operations;
    std::string why;
    for (auto norms = situation.norms.rbegin(); norms != situation.norms.rend(); ++norms) {
      const Weak weak = weak_units(*norms);
      if (weak.units == 0) continue;
      operations.push_back({"shrink",
                            weak.layer,
                            {{"by", static_cast<std::int64_t>(weak.units)},
                             {"score", "norm"},
                             {"refit", refit_ && !weak.exact}}});
      why += (why.empty() ? "" : ", ") + std::to_string(weak.units) + " of " +
             std::to_string(weak.of) + " units of " + weak.layer + (weak.exact ? " at 0" : "");
    }
    if (operations.empty()) return {};
    return {.candidates = {std::move(operations)},
            .why = why + ": at most " + to_text(threshold_) + " times their layer's mean norm"};
  }

  void told(const Round& round) override { done_ = round.from; }

 private:
  [[nodiscard]] Weak weak_units(const UnitNorms& layer) const {
    std::vector<double> norms = layer.norms;
    std::ranges::sort(norms);
    const double bound = threshold_ * std::accumulate(norms.begin(), norms.end(), 0.0) /
                         static_cast<double>(norms.size());
    const auto below =
        static_cast<std::size_t>(std::ranges::upper_bound(norms, bound) - norms.begin());
    const std::size_t least = least_.at(layer.layer);
    const std::size_t most = norms.size() > least ? norms.size() - least : 0;
    Weak weak{.layer = layer.layer, .units = std::min(below, most), .of = norms.size()};
    weak.exact = weak.units == 0 || norms[weak.units - 1] == 0;
    return weak;
  }

  std::int64_t grid_ = 1;
  Beat beat_;
  UnitPenalty penalty_;
  double threshold_ = 0;
  bool refit_ = true, removable_ = false;
  std::map<std::string, std::size_t> least_;  ///< units of a layer that stay
  std::int64_t done_ = -1;                    ///< boundary of the last turn
};

}  // namespace

PolicyKind prune_policy() {
  return {.info = {.kind = "prune",
                   .doc = "Pulls whole units to 0 during training and removes units that come "
                          "close to 0. One training finds its size and gets cheaper on the way.",
                   .fields = prune_fields()},
          .make = [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
            return std::make_unique<Prune>(setup);
          }};
}

}  // namespace nn
