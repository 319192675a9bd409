#pragma once
// A method whose trials are one population: what it may change half-way, and what it goes together
// with.

#include "hpo/study/spec.h"
#include "nn/model/spec.h"

namespace hpo::study {

/// Sets the number of trials to the size of the population where the file leaves it out.
void add_population_defaults(StudySpec& study);

/// Fills in StudySpec::explorable and reshape; does nothing with other methods. Throws a StudyError
/// if another row contradicts the method.
void read_population(StudySpec& study);

/// Throws a StudyError where an operation of `method.reshape` can never be done to a network that
/// is `model` at its birth.
void check_reshapes(const StudySpec& study, const nn::ModelSpec& model);

}  // namespace hpo::study
