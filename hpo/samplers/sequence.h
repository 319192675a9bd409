#pragma once
// Samplers whose points fill the unit cube more evenly than chance, whatever the trials come to.

#include <cstdint>
#include <memory>
#include <span>

#include "hpo/samplers/sampler.h"

namespace hpo {

/// Points of a cube by number. Not thread-safe.
class Sequence {
 public:
  virtual ~Sequence() = default;
  /// Writes point `i`, one coordinate in [0, 1] an axis: a pure function of `i` and of what the
  /// sequence was made from.
  virtual void point(std::uint64_t i, std::span<double> place) = 0;
};

/// A sampler that proposes point `ordinal` of `sequence`, which has one axis a parameter; those of
/// inactive parameters are not looked at. In place of a point that a trial has already comes a
/// random one; a finite space ends when all its points were tried.
[[nodiscard]] std::unique_ptr<Sampler> sequence_sampler(const SamplerSetup& setup,
                                                        std::unique_ptr<Sequence> sequence);

}  // namespace hpo
