#include "hpo/samplers/random.h"

#include <optional>
#include <vector>

#include "hpo/samplers/visited_points.h"
#include "hpo/space/fill.h"
#include "hpo/space/grid.h"
#include "hpo/space/parts.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

/// Draws before the rest of a nearly exhausted finite space is walked instead.
constexpr int kRandomDraws = 64;
/// Draws before a point comes twice in a space that cannot be walked, where nearly all of its plain
/// points were tried and the others are rarely drawn.
constexpr int kRareDraws = 10'000;
/// Draws of a part of a space that cannot be walked before a point of it is made instead.
constexpr int kMostDraws = 2'000;

class Random final : public Sampler {
 public:
  explicit Random(const SamplerSetup& setup) : space_(setup.space), seed_(setup.seed) {}

  void created(std::uint64_t, const Params& params) override { visited_.add(params); }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    Stream stream = proposal_stream(seed_, ordinal);
    Params point = draw(stream);
    int draws = 1;
    for (; draws < kRandomDraws && !visited_.leaves(point); ++draws) point = draw(stream);
    if (visited_.leaves(point)) return point;
    if (!points_) points_.emplace(space_);
    if (const auto size = points_->size()) {
      if (visited_.size() >= *size) return {};
      return walk(stream.below(*size), *size);
    }
    for (; draws < kRareDraws && !visited_.leaves(point); ++draws) point = draw(stream);
    return space_.allows(point) ? std::optional(point) : draw_by_parts(stream);
  }

 private:
  std::vector<double> place(Stream& stream) {
    std::vector<double> u(space_.size());
    for (double& x : u) x = stream.uniform();
    return u;
  }

  Params draw(Stream& stream) { return space_.from_unit(place(stream)); }

  /// Draws each part until it is allowed: of a space of five parts with a hundredth left of each no
  /// draw of the whole would ever be. Of what leaves too little a point is made.
  std::optional<Params> draw_by_parts(Stream& stream) {
    std::vector<double> u = place(stream);
    if (!parts_) parts_ = parts_of(space_);
    Params made;
    for (const SpacePart& part : *parts_) {
      if (draw_part(part, stream, u)) continue;
      const Filled point = drawn(part.space, stream);
      if (!point.point) return std::nullopt;
      const std::vector<double> own = part.space.to_unit(*point.point);
      for (std::size_t i = 0; i < own.size(); ++i) u[part.places[i]] = own[i];
      for (const auto& [name, value] : *point.point) made.set(name, value);
    }
    return space_.adopt(made, space_.from_unit(u));
  }

  static bool draw_part(const SpacePart& part, Stream& stream, std::vector<double>& u) {
    std::vector<double> own(part.places.size());
    for (int draws = 0; draws < kMostDraws; ++draws) {
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = u[part.places[i]] = stream.uniform();
      if (part.space.allows(part.space.from_unit(own))) return true;
    }
    return false;
  }

  /// The first point that no trial has, from `start` on and around; there is one.
  std::optional<Params> walk(std::uint64_t start, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      Params point = points_->point((start + i) % size);
      if (!visited_.has(point)) return point;
    }
    return {};
  }

  const Space& space_;
  std::uint64_t seed_;
  std::optional<GridPoints> points_;             // counted when draws find nothing new
  std::optional<std::vector<SpacePart>> parts_;  // found when they find nothing allowed
  VisitedPoints visited_{space_};
};

}  // namespace

SamplerKind random_sampler() {
  return {.info = {.kind = "random",
                   .doc = "Independent random points without repetition. The search ends when a "
                          "finite space is exhausted.",
                   .fields = {}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Random>(setup);
          },
          .several = true};
}

}  // namespace hpo
