#include "runtime/net/hosts.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/clock.h"
#include "base/executable.h"
#include "base/new_file.h"
#include "base/pipe.h"
#include "base/process/start.h"
#include "base/shell.h"
#include "base/text.h"

namespace rt::net {

namespace {

/// So many seconds processes have to end by themselves, and again when they were asked to.
constexpr double kGoodbye = 1.5;

/// What somebody has set here of the variables by which libraries choose their arithmetic: a
/// process elsewhere that is to compute the same needs them, and ssh brings no variable along.
std::vector<std::string> arithmetic_variables() {
  std::vector<std::string> all;
  for (const char* name : {"TRELLIS_ISA", "OPENBLAS_CORETYPE", "ONEDNN_MAX_CPU_ISA"}) {
    const char* const value = std::getenv(name);
    const bool own = name == std::string_view("OPENBLAS_CORETYPE") && std::getenv(kOwnCoretype);
    if (value != nullptr && !own) all.push_back(base::cat(name, "=", value));
  }
  return all;
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

}  // namespace

bool is_here(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

std::vector<std::string> hosts_of(const std::string& list, const std::string& option) {
  std::vector<std::string> hosts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t end = std::min(list.find(',', from), list.size());
    std::string host = list.substr(from, end - from);
    if (host.empty() || host.front() == '-' || host.find_first_of(" \t/") != host.npos)
      throw base::Error(base::Errc::usage,
                        base::cat(option, ": '", base::printable(list, 60),
                                  "', expected names of machines with commas between them"));
    hosts.push_back(std::move(host));
    from = end + 1;
  }
  return hosts;
}

std::vector<HostAgent> agents_on(const std::vector<std::string>& hosts) {
  const auto here = static_cast<int>(std::count_if(hosts.begin(), hosts.end(), is_here));
  std::vector<HostAgent> agents;
  std::map<std::string, int> seen;
  int part = 0;
  for (const std::string& host : hosts) {
    const int number = ++seen[host];
    HostAgent& agent = agents.emplace_back();
    agent.host = host;
    agent.node = number == 1 ? host : base::cat(host, "-", number);
    if (!is_here(host)) continue;
    agent.part = ++part;
    agent.parts = here;
  }
  return agents;
}

namespace {

std::string text_of(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return text;
}

/// That of this machine on the way to a host; empty where its name has no address.
std::string address_on_the_way(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string name = host.substr(host.find('@') == host.npos ? 0 : host.find('@') + 1);
  if (::getaddrinfo(name.c_str(), "9", &hints, &found) != 0 || found == nullptr) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &::freeaddrinfo);
  // Connecting a datagram socket sends nothing: it only chooses the way.
  const base::File socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  socklen_t size = sizeof own;
  if (socket.fd() < 0 || ::connect(socket.fd(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
    return {};
  return text_of(own);
}

}  // namespace

std::string address_outside() {
  ifaddrs* all = nullptr;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(::getifaddrs(&all) == 0 ? all : nullptr,
                                                           &::freeifaddrs);
  for (const ifaddrs* one = owner.get(); one != nullptr; one = one->ifa_next) {
    const bool usable = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (usable && one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET)
      return text_of(*reinterpret_cast<const sockaddr_in*>(one->ifa_addr));
  }
  return "127.0.0.1";
}

std::string address_towards(const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts) {
    std::string address = is_here(host) ? std::string() : address_on_the_way(host);
    if (!address.empty()) return address;
  }
  // A name that only ssh knows, or a scheduler.
  return std::ranges::all_of(hosts, is_here) ? "127.0.0.1" : address_outside();
}

void HostProcesses::start(const HostStart& what) {
  std::vector<std::string> words = what.words;
  if (!is_here(what.host)) {
    std::string command = "exec";
    const std::vector<std::string> variables = arithmetic_variables();
    if (!variables.empty()) command += " env";
    for (const std::string& word : variables) command += " " + base::shell_quoted(word);
    for (const std::string& word : words) command += " " + base::shell_quoted(word);
    const auto ssh = base::find_executable("ssh", "/");
    if (!ssh)
      throw base::Error(base::Errc::usage,
                        base::cat("'", what.host, "' is reached by ssh, which is not here"));
    words = {*ssh, "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", what.host, command};
  }
  // What fits into a pipe can be written whether somebody reads it or not.
  base::Pipe input = base::open_pipe();
  if (!input) throw base::storage_error("open", "a pipe", errno);
  constexpr std::size_t kPipe = 64 << 10;
  if (what.input.size() > kPipe &&
      ::fcntl(input.write.fd(), F_SETPIPE_SZ, static_cast<int>(what.input.size())) < 0)
    throw base::storage_error("enlarge", "a pipe", errno);
  (void)base::write_all(input.write.fd(), base::as_bytes(what.input));
  (void)input.write.close();
  base::File log;
  if (!what.log.empty()) {
    log = base::File(::open(what.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (log.fd() < 0) throw base::storage_error("make", what.log, errno);
  }
  const int output = log ? log.fd() : STDERR_FILENO;
  const std::array files{input.read.fd(), output, output};
  base::ProcessStart start;
  start.path = words.front();
  start.words = words;
  start.environment = environment();
  start.death_signal = 0;  // it outlives a driver that dies: the next one finds what it has
  processes_.push_back({what.node, base::start_process(std::move(start), files), what.log});
}

void HostProcesses::lost(const std::string& node) {
  for (Process& process : processes_) process.lost = process.lost || process.node == node;
}

void HostProcesses::end(const std::string& node) noexcept {
  for (const Process& process : processes_)
    if (process.id >= 0 && process.node == node) ::kill(process.id, SIGKILL);
}

bool HostProcesses::has(const std::string& node) const {
  return std::ranges::any_of(processes_,
                             [&](const Process& process) { return process.node == node; });
}

std::vector<HostProcesses::Ended> HostProcesses::look() {
  std::vector<Ended> ended;
  for (Process& process : processes_) {
    int status = 0;
    if (process.id < 0 || ::waitpid(process.id, &status, WNOHANG) != process.id) continue;
    process.id = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    ended.push_back({process.node,
                     WIFEXITED(status) ? base::cat("with status ", WEXITSTATUS(status))
                                       : base::cat("by signal ", WTERMSIG(status)),
                     process.log});
  }
  return ended;
}

std::size_t HostProcesses::alive() const noexcept {
  return static_cast<std::size_t>(std::count_if(processes_.begin(), processes_.end(),
                                                [](const Process& one) { return one.id >= 0; }));
}

HostProcesses::~HostProcesses() {
  for (const Process& process : processes_) {
    if (process.id >= 0 && process.lost) ::kill(process.id, SIGKILL);
  }
  const base::Moment begin = base::now();
  bool asked = false;
  while (true) {
    bool left = false;
    for (Process& process : processes_) {
      if (process.id >= 0 && ::waitpid(process.id, nullptr, WNOHANG) == process.id) process.id = -1;
      left = left || process.id >= 0;
    }
    if (!left) return;
    const double waited = base::seconds_since(begin);
    if (waited > 2 * kGoodbye || (waited > kGoodbye && !asked)) {
      asked = true;
      for (const Process& process : processes_) {
        if (process.id >= 0) ::kill(process.id, waited > 2 * kGoodbye ? SIGKILL : SIGTERM);
      }
    }
    base::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace rt::net
