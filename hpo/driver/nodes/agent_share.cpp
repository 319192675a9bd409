#include "hpo/driver/nodes/agent_share.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/words.h"

namespace hpo {

namespace {

constexpr int kMostAgents = 4096;  ///< of a machine, whose names differ

std::string gpu_file(std::string name) {
  std::ranges::replace(name, '/', '_');  // a part of a GPU: MIG-GPU-7/1/0
  return "gpu-" + name;
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return list;
}

}  // namespace

AgentShare::AgentShare(const ShareWish& wish, base::Path folder)
    : claims_(std::move(folder)), workers_(wish.workers), node_(base::host_name()) {
  claim_cores(wish);
  claim_gpus(wish);
  int number = 1;
  while (number < kMostAgents && !claims_.take(base::cat("agent-", number))) ++number;
  if (number > 1) node_ += base::cat("-", number);
}

void AgentShare::claim_cores(const ShareWish& wish) {
  std::vector<int> allowed = base::allowed_cores();
  if (allowed.empty()) return;
  const auto usable = static_cast<std::size_t>(base::usable_cores());
  // Where a quota limits it, the system shares out time on all cores, and who is beside it in other
  // containers is not known.
  const bool by_quota = usable < allowed.size();
  // Other users, whose claims are not seen, begin elsewhere.
  std::ranges::rotate(allowed,
                      allowed.begin() + static_cast<std::ptrdiff_t>(::getuid() % allowed.size()));
  const std::size_t wanted =
      wish.workers > 0 ? std::min(usable, static_cast<std::size_t>(wish.workers)) : usable;
  std::vector<int> own;
  for (const int core : allowed) {
    if (own.size() < wanted && claims_.take(base::cat("core-", core))) own.push_back(core);
  }
  if (own.empty() && wish.insists)
    throw base::Error(
        base::Errc::locked,
        base::cat("no core is free for this agent: other agents of this user have the ",
                  allowed.size() == 1 ? "one" : base::cat(allowed.size()), " that it may use on ",
                  node_, " (", claims_.folder().string(),
                  "); end one of them, or start each with --workers N"));
  // Who does not insist shares all cores with the others rather than have few of its own.
  std::ranges::sort(own);
  if (!by_quota && (own.size() == wanted || wish.insists)) base::stay_on_cores(own);
  if (!wish.insists || wish.workers <= static_cast<int>(own.size())) return;
  workers_ = static_cast<int>(own.size());
  if (!wish.asked) return;
  base::warn(base::cat("--workers ", wish.workers, ": only ", base::counted(own.size(), "core"),
                       own.size() == 1 ? " is" : " are", " free on ", node_, ": this agent has ",
                       base::counted(own.size(), "worker")));
}

void AgentShare::claim_gpus(const ShareWish& wish) {
  const std::vector<std::string> seen = base::gpu_names();
  const auto wanted = static_cast<std::size_t>(std::max(wish.gpus, 0));
  if (wanted > seen.size())
    throw base::Error(base::Errc::no_device,
                      base::cat("--gpus ", wish.gpus, ": this agent sees ",
                                base::counted(seen.size(), "GPU"), " on ", node_));
  std::vector<std::string> own;
  for (const std::string& name : seen) {
    if (wish.gpus >= 0 && own.size() == wanted) break;
    if (claims_.take(gpu_file(name))) own.push_back(name);
  }
  if (wish.gpus < 0) return;
  // A scheduler may call the GPU of each job by the same name.
  if (!wish.insists && own.size() < wanted)
    own.assign(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(wanted));
  if (own.size() < wanted)
    throw base::Error(
        base::Errc::locked,
        base::cat("--gpus ", wish.gpus, ": other agents of this user have ",
                  seen.size() - own.size(), " of the ", base::counted(seen.size(), "GPU"), " of ",
                  node_, " (", claims_.folder().string(), ")"));
  ::setenv("CUDA_VISIBLE_DEVICES", joined(own).c_str(), 1);
}

}  // namespace hpo
