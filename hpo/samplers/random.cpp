#include "hpo/samplers/random.h"

#include <optional>
#include <vector>

#include "hpo/samplers/tried.h"
#include "hpo/space/grid.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

/// Draws before the rest of a nearly exhausted finite space is walked instead.
constexpr int kDraws = 64;
/// Draws before a point comes twice in a space that cannot be walked, where nearly all of its plain
/// points were tried and the others are rarely drawn.
constexpr int kRareDraws = 10'000;
/// Draws before a space that cannot be walked counts as having nothing that is allowed: of one that
/// was checked to have a millionth left they find nothing once in 400 million proposals.
constexpr int kMostDraws = 20'000'000;

class Random final : public Sampler {
 public:
  explicit Random(const SamplerSetup& setup) : space_(setup.space), seed_(setup.seed) {}

  void created(std::uint64_t, const Params& params) override { tried_.add(params); }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    Stream stream = proposal_stream(seed_, ordinal);
    Params point = draw(stream);
    int draws = 1;
    for (; draws < kDraws && !tried_.leaves(point); ++draws) point = draw(stream);
    if (tried_.leaves(point)) return point;
    if (!points_) points_.emplace(space_);
    if (const auto size = points_->size()) {
      if (tried_.size() >= *size) return {};
      return walk(stream.below(*size), *size);
    }
    for (; draws < kRareDraws && !tried_.leaves(point); ++draws) point = draw(stream);
    for (; draws < kMostDraws && !space_.allows(point); ++draws) point = draw(stream);
    return space_.allows(point) ? std::optional(point) : std::nullopt;
  }

 private:
  Params draw(Stream& stream) {
    std::vector<double> u(space_.size());
    for (double& x : u) x = stream.uniform();
    return space_.from_unit(u);
  }

  /// The first point that no trial has, from `start` on and around; there is one.
  std::optional<Params> walk(std::uint64_t start, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      Params point = points_->point((start + i) % size);
      if (!tried_.has(point)) return point;
    }
    return {};
  }

  const Space& space_;
  std::uint64_t seed_;
  std::optional<GridPoints> points_;  // counted when draws find nothing new
  Tried tried_{space_};
};

}  // namespace

SamplerKind random_kind() {
  return {
      .info = {.name = "random",
               .doc = "independent draws, no point twice; ends when a finite space is exhausted",
               .options = {}},
      .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
        return std::make_unique<Random>(setup);
      },
      .several = true};
}

}  // namespace hpo
