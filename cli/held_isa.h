#pragma once
// One instruction set for all nodes of a study.

#include "hpo/study/sections.h"

namespace cli {

/// Runs this program anew (execv), held to that instruction set (`resources.isa`), where it is not
/// yet: the libraries read which one when they are loaded. To be called before anything that a
/// second start would repeat. Throws base::Error (no_device) where the processor lacks it.
void hold_to_isa(hpo::study::Isa wanted);

}  // namespace cli
