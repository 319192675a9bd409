#include "hpo/samplers/random.h"

#include <vector>

#include "hpo/samplers/tried.h"
#include "hpo/space/grid.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

/// Draws before the rest of a nearly exhausted finite space is walked instead.
constexpr int kDraws = 64;
/// Draws before a space that cannot be walked counts as having nothing that is allowed: of one that
/// was checked to have a millionth left they find nothing once in 400 million proposals.
constexpr int kMostDraws = 20'000'000;

class Random final : public Sampler {
 public:
  explicit Random(const SamplerSetup& setup)
      : space_(setup.space), seed_(setup.seed), points_(space_), size_(points_.size()) {}

  void created(std::uint64_t, const Params& params) override { tried_.add(params); }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    if (size_ && tried_.size() >= *size_) return {};
    Stream stream = proposal_stream(seed_, ordinal);
    Params point = draw(stream);
    for (int i = 1; i < kDraws && !tried_.leaves(point); ++i) point = draw(stream);
    if (size_ && !tried_.leaves(point)) return walk(stream.below(*size_));
    for (int i = kDraws; i < kMostDraws && !space_.allows(point); ++i) point = draw(stream);
    return space_.allows(point) ? std::optional(point) : std::nullopt;
  }

 private:
  Params draw(Stream& stream) {
    std::vector<double> u(space_.size());
    for (double& x : u) x = stream.uniform();
    return space_.from_unit(u);
  }

  /// The first point that no trial has, from `start` on and around; there is one.
  std::optional<Params> walk(std::uint64_t start) {
    for (std::uint64_t i = 0; i < *size_; ++i) {
      Params point = points_.point((start + i) % *size_);
      if (!tried_.has(point)) return point;
    }
    return {};
  }

  const Space& space_;
  std::uint64_t seed_;
  GridPoints points_;
  std::optional<std::uint64_t> size_;
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
