#pragma once
// `choice:` written out.

#include "hpo/study/node.h"

namespace hpo::study {

/// Turns every parameter of a file's tree, as it was read, that has a `choice` into one with
/// `values`, and puts the parameters of its alternatives behind it, each with the `when` that says
/// where it stood. Throws a StudyError where a choice makes no sense.
void write_out_choices(Node& root);

}  // namespace hpo::study
