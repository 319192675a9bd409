#pragma once
// One instruction set for all nodes of a study.

#include "cli/arguments.h"
#include "hpo/study/sections.h"

namespace cli {

/// The option of a process that another one starts, whose study this machine may not see.
constexpr const char* kIsa = "--isa";
void declare_isa(Arguments& arguments);
/// The one given; any without it. Throws base::Error (usage).
[[nodiscard]] hpo::study::Isa isa_option(const Arguments& arguments);

/// Runs this program anew (execv), held to that instruction set (`resources.isa`), where it is not
/// yet: the libraries read which one when they are loaded. To be called before anything that a
/// second start would repeat. Throws base::Error (no_device) where the processor lacks it.
void hold_to_isa(hpo::study::Isa wanted);

}  // namespace cli
