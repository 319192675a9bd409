#include "hpo/samplers/sobol.h"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "hpo/samplers/random.h"
#include "hpo/samplers/sequence.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr std::size_t kMostAxes = 3667;  // that the tables of direction numbers cover
constexpr unsigned kBits = 32;

class Sobol final : public Sequence {
 public:
  Sobol(std::size_t axes, std::uint64_t seed) : engine_(std::max<std::size_t>(axes, 1)) {
    for (std::size_t axis = 0; axis < axes; ++axis)
      names_.push_back(Stream(seed, "sobol", static_cast<std::uint64_t>(axis)).u64());
  }

  void point(std::uint64_t i, std::span<double> place) override {
    // The engine leaves out the point of zeros, which is no worse than any other once scrambled.
    const auto index = static_cast<std::uint32_t>(i % 0xFFFFFFFFU);
    if (index > 0) engine_.seed(index - 1);
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      const std::uint32_t digits = scrambled(index > 0 ? engine_() : 0, names_[axis]);
      const std::uint64_t rest = base::mixed(names_[axis] ^ base::mixed(i + 1)) >> 11;
      place[axis] =
          std::ldexp(digits + std::ldexp(static_cast<double>(rest), -53), -static_cast<int>(kBits));
    }
  }

 private:
  /// Each digit is turned over or not as those before it say.
  static std::uint32_t scrambled(std::uint32_t digits, std::uint64_t name) {
    std::uint32_t result = digits;
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const std::uint64_t before = std::uint64_t{digits} >> (kBits - bit);
      const std::uint64_t node = (std::uint64_t{1} << bit) | before;
      result ^= static_cast<std::uint32_t>(base::mixed(name + base::mixed(node)) >> 63)
                << (kBits - 1 - bit);
    }
    return result;
  }

  boost::random::sobol_engine<std::uint32_t, kBits> engine_;
  std::vector<std::uint64_t> names_;  // of each axis' permutations
};

std::string sobol_refusal(const Space& space, const Params&) {
  if (space.size() <= kMostAxes) return "";
  return "sobol has " + std::to_string(space.size()) +
         " parameters to spread over, expected at most " + std::to_string(kMostAxes) +
         "; for more there are halton and random";
}

}  // namespace

SamplerKind sobol_sampler() {
  return {.info = {.kind = "sobol",
                   .doc = "Sobol sequence, scrambled: fills the space evenly at every length of "
                          "the search. 2^k trials are best.",
                   .fields = {}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return sequence_sampler(setup, std::make_unique<Sobol>(setup.space.size(), setup.seed));
          },
          .refuses = sobol_refusal,
          .several = true};
}

std::unique_ptr<Sampler> even_start(const SamplerSetup& setup) {
  const bool covered = sobol_refusal(setup.space, {}).empty();
  return (covered ? sobol_sampler() : random_sampler()).make(setup);
}

}  // namespace hpo
