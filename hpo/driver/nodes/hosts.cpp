#include "hpo/driver/nodes/hosts.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "base/clock.h"
#include "base/executable.h"
#include "base/process/start.h"
#include "base/text.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/driver/nodes/net_folder.h"

namespace hpo {

namespace {

/// So long agents have to end by themselves.
constexpr double kGoodbye = 1.5;

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

base::File open_log(const base::Path& path) {
  base::File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (file.fd() < 0) throw base::storage_error("make", path, errno);
  return file;
}

}  // namespace

bool is_here(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

HostAgents::HostAgents(const RunOptions& options, Observer& observer)
    : options_(options), observer_(observer) {}

void HostAgents::start() {
  const base::Path folder = std::filesystem::absolute(options_.folder);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto here = std::ranges::count_if(options_.hosts, is_here);
  std::map<std::string, int> seen;
  int part = 0;
  for (const std::string& host : options_.hosts) {
    Agent agent;
    const int number = ++seen[host];
    agent.node = number == 1 ? host : base::cat(host, "-", number);
    agent.log = NetFolder(folder).path() / (agent.node + ".log");
    std::vector<std::string> words{program, "agent", folder.string(), "--node", agent.node};
    if (options_.workers > 0) {
      words.insert(words.end(), {"--workers", std::to_string(options_.workers)});
    }
    if (options_.engine != Engine::automatic) {
      words.insert(words.end(), {"--executor", std::string(engine_word(options_.engine))});
    }
    if (is_here(host)) {
      words.insert(words.end(), {"--part", base::cat(++part, "/", here)});
    } else {
      std::string command = "exec";
      for (const std::string& word : words) command += " " + quoted(word);
      const auto ssh = base::find_executable("ssh", "/");
      if (!ssh)
        throw base::Error(base::Errc::usage,
                          base::cat("--hosts: '", host, "' is reached by ssh, which is not here"));
      words = {*ssh, "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", host, command};
    }
    const base::File nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const base::File log = open_log(agent.log);
    const std::array files{nothing.fd(), log.fd(), log.fd()};
    base::ProcessStart start;
    start.path = words.front();
    start.words = words;
    start.environment = environment();
    // It outlives a driver that dies: the next one finds what it has.
    start.death_signal = 0;
    agent.process = base::start_process(std::move(start), files);
    agents_.push_back(std::move(agent));
  }
}

void HostAgents::lost(const std::string& node) {
  for (Agent& agent : agents_) agent.lost = agent.lost || agent.node == node;
}

void HostAgents::look() {
  for (Agent& agent : agents_) {
    int status = 0;
    if (agent.process < 0 || ::waitpid(agent.process, &status, WNOHANG) != agent.process) continue;
    agent.process = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    observer_.note(base::cat("the agent on ", agent.node, " has ended",
                             WIFEXITED(status) ? base::cat(" with status ", WEXITSTATUS(status))
                                               : base::cat(" by signal ", WTERMSIG(status)),
                             ": see ", agent.log.string()));
  }
}

HostAgents::~HostAgents() {
  const base::Moment begin = base::now();
  const auto left = [&] {
    return std::ranges::any_of(agents_, [](const Agent& agent) { return agent.process >= 0; });
  };
  bool asked = false;
  for (const Agent& agent : agents_) {
    if (agent.process >= 0 && agent.lost) ::kill(agent.process, SIGKILL);
  }
  while (left()) {
    for (Agent& agent : agents_) {
      if (agent.process >= 0 && ::waitpid(agent.process, nullptr, WNOHANG) == agent.process)
        agent.process = -1;
    }
    const double waited = base::seconds_since(begin);
    if (waited > 2 * kGoodbye || (waited > kGoodbye && !asked)) {
      asked = true;
      for (const Agent& agent : agents_) {
        if (agent.process >= 0) ::kill(agent.process, waited > 2 * kGoodbye ? SIGKILL : SIGTERM);
      }
    }
    base::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace hpo
