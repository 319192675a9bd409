#include "hpo/samplers/halton.h"

#include <vector>

#include "hpo/samplers/sequence.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr double kFinest = 1e-16;  // digits below are nothing beside 1

std::vector<std::uint64_t> primes(std::size_t count) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t n = 2; found.size() < count; ++n) {
    bool prime = true;
    for (std::size_t i = 0; prime && i < found.size() && found[i] * found[i] <= n; ++i)
      prime = n % found[i] != 0;
    if (prime) found.push_back(n);
  }
  return found;
}

/// One axis: its base, and what digit d at each place becomes: (factor * d + shift) mod base.
struct Mirror {
  struct Line {
    std::uint64_t factor, shift;
  };
  std::uint64_t base;
  std::vector<Line> lines;

  Mirror(std::uint64_t prime, Stream random) : base(prime) {
    for (double size = 1; size > kFinest; size /= static_cast<double>(base)) {
      const std::uint64_t factor = 1 + random.below(base - 1);
      lines.push_back({factor, random.below(base)});
    }
  }

  [[nodiscard]] double operator()(std::uint64_t i) const {
    double place = 0, size = 1;
    for (const Line& line : lines) {
      size /= static_cast<double>(base);
      place += size * static_cast<double>((line.factor * (i % base) + line.shift) % base);
      i /= base;
    }
    return place;
  }
};

class Halton final : public Sequence {
 public:
  Halton(std::size_t axes, std::uint64_t seed) {
    for (const std::uint64_t prime : primes(axes))
      mirrors_.emplace_back(prime, Stream(seed, "halton", prime));
  }

  void point(std::uint64_t i, std::span<double> place) override {
    for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] = mirrors_[axis](i);
  }

 private:
  std::vector<Mirror> mirrors_;
};

}  // namespace

SamplerKind halton_sampler() {
  return {.info = {.kind = "halton",
                   .doc = "Halton sequence, scrambled: fills the space evenly at every length of "
                          "the search, for any number of parameters.",
                   .fields = {}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return sequence_sampler(setup,
                                    std::make_unique<Halton>(setup.space.size(), setup.seed));
          },
          .several = true};
}

}  // namespace hpo
