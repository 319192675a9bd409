#include "hpo/driver/nodes/slurm_ask.h"

#include <unistd.h>

#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/executable.h"
#include "base/text.h"

namespace hpo {

base::ProgramResult run_slurm(const std::string& program, std::vector<std::string> words,
                              std::string input) {
  const auto path = base::find_executable(program, "/");
  const auto env = base::find_executable("env", "/");
  if (!path || !env)
    throw base::Error(base::Errc::usage,
                      base::cat("'", program, "' is not here: this machine has no Slurm"));
  base::Program asked{.command = {*env}, .folder = "/", .input = std::move(input), .timeout = 10};
  // A job that is submitted from within a job would take over what that one was given.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name =
        std::string_view(*variable).substr(0, std::string_view(*variable).find('='));
    if (!name.starts_with("SLURM_") || name == "SLURM_CONF" || name == "SLURM_CLUSTERS") continue;
    asked.command.emplace_back("-u");
    asked.command.emplace_back(name);
  }
  asked.command.push_back(*path);
  for (std::string& word : words) asked.command.push_back(std::move(word));
  return base::run_program(asked);
}

std::string ask_slurm(const std::string& program, std::vector<std::string> words) {
  try {
    const base::ProgramResult result = run_slurm(program, std::move(words));
    const bool well = result.end == base::ProcessEnd::exited && result.status == 0;
    return well ? result.output : std::string();
  } catch (const base::Error&) {
    return {};
  }
}

}  // namespace hpo
