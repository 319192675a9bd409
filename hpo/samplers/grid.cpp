#include "hpo/samplers/grid.h"

#include "hpo/samplers/visited_points.h"
#include "hpo/space/grid.h"

namespace hpo {

namespace {

class Grid final : public Sampler {
 public:
  explicit Grid(const SamplerSetup& setup)
      : points_(setup.space), size_(points_.size().value_or(0)), visited_(setup.space) {}

  void created(std::uint64_t, const Params& params) override { visited_.add(params); }

  std::optional<Params> propose(std::uint64_t) override {
    // The first point that no trial has. `next_` only remembers how far all points are taken.
    for (; next_ < size_; ++next_) {
      Params point = points_.point(next_);
      if (!visited_.has(point)) return point;
    }
    return {};
  }

 private:
  GridPoints points_;
  std::uint64_t size_;
  std::uint64_t next_ = 0;
  VisitedPoints visited_;
};

std::string grid_refusal(const Space& space, const Params&) {
  for (const Parameter& parameter : space.parameters()) {
    if (!cardinality(parameter.domain)) {
      return "a grid needs a step or a list of values for " + parameter.name + " (" +
             describe(parameter.domain) + ")";
    }
  }
  if (space.grid_size()) return "";
  return "the points of this grid cannot be counted, expected fewer than 2^63 points and 10^6 "
         "branches of conditions and forbidden combinations";
}

}  // namespace

SamplerKind grid_sampler() {
  return {.info = {.kind = "grid",
                   .doc = "Every point of a finite space once; the last parameter changes fastest. "
                          "The search ends after the last point. A grid of more than 1000000 "
                          "points needs `limits.trials`.",
                   .fields = {}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Grid>(setup);
          },
          .refuses = grid_refusal,
          .several = true};
}

}  // namespace hpo
