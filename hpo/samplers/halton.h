#pragma once
// Halton's sequence, scrambled.

#include "hpo/samplers/registry.h"

namespace hpo {

/// Proposal `ordinal` is point `ordinal` of Halton's sequence: axis k has the digits of the ordinal
/// in the k-th prime base, mirrored at the point (Halton, Numerische Mathematik 2, 1960). Each
/// digit goes through a random line modulo its base, which the study's seed names, and so do the
/// zeros behind the last (Matousek, "On the L2-discrepancy for anchored boxes", 1998): without
/// that, axes with large bases run in step.
[[nodiscard]] SamplerKind halton_sampler();

}  // namespace hpo
