#pragma once
// The arguments that every verb which runs tasks shares.

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "hpo/driver/sweep.h"
#include "hpo/study/spec.h"

namespace cli {

/// FILE, --dir, --name, --seed, --workers, --executor, --quiet.
void declare_run_options(Arguments& arguments);

/// What --workers says; 0: nothing.
[[nodiscard]] int workers_option(const Arguments& arguments);
/// Machines beside this one, of verbs that take them.
inline constexpr const char* kHosts = "--hosts";
/// Those it names; none without it. Throws base::Error (usage).
[[nodiscard]] std::vector<std::string> hosts_option(const Arguments& arguments);
/// What --executor says, which is there.
[[nodiscard]] hpo::Engine engine_option(const Arguments& arguments);

/// The study of FILE with --name, --seed and --parallel in place. This process then computes with
/// the instruction set that it asks for (cli/held_isa.h).
[[nodiscard]] hpo::StudySpec load_study(const Arguments& arguments);

/// Where and how to run it.
[[nodiscard]] hpo::RunOptions run_options(const Arguments& arguments, const hpo::StudySpec& study);

}  // namespace cli
