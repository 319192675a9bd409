#include "bench/on_rig.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "bench/process.h"

namespace bench {

std::optional<nlohmann::json> run_on_rig(const std::string& benchmark,
                                         const std::vector<std::string>& words) {
  constexpr int kNoNodes = 77;  // the scripts' exit code where there can be none
  std::vector<std::string> command{"python3", "-B",
                                   base::cat(rivals_folder(), "/../", benchmark, ".py")};
  command.insert(command.end(), words.begin(), words.end());
  const Finished done = run_program(command);
  if (done.exit_code == kNoNodes)
    throw base::Error(base::Errc::no_device,
                      base::cat(benchmark, ": this machine can have no nodes (see above)"));
  if (done.exit_code == 0) return nlohmann::json::parse(done.output);
  std::fprintf(stderr, "%s: %s ended with exit code %d, so it is left out\n", benchmark.c_str(),
               words.front().c_str(), done.exit_code);
  return std::nullopt;
}

}  // namespace bench
