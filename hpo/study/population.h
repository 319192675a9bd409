#pragma once
// A method whose trials are one population: what it may change half-way, and what it goes together
// with.

#include "hpo/study/node.h"
#include "hpo/study/spec.h"
#include "nn/spec.h"

namespace hpo::study {

/// Puts in what follows from the size of the population. `root` is checked once.
void add_population_defaults(Node& root);

/// Fills in StudySpec::explorable and reshape from a checked tree; the rest of `study` is read
/// already. Nothing happens with other methods. Throws a Fault for what can't work with it.
void read_population(StudySpec& study, const Node& root);

/// Throws a Fault where an operation of `method.reshape` can never be done to a network that is
/// `model` at its birth.
void check_reshapes(const StudySpec& study, const nn::ModelSpec& model);

}  // namespace hpo::study
