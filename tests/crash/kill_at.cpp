// Runs a program and kills it before the n-th system call of one of its threads that changes a file
// or tells somebody.
//
// usage: kill-at [--log FILE] [--at THREAD:CALL:N] COMMAND...
//   --log   writes, at the end, one line for each thread and call: THREAD NAME CALL COUNT
//   --at    SIGKILL for the whole program when that thread is about to make its N-th such call
//
// Threads are numbered in the order of their creation, from 0: unlike an order by time, it is the
// same in every run. Counted are calls on files, and writes to the standard streams; not wake-ups
// through pipes and event counters, and of the calls that open a file only those that may make one.
// Exit code: the program's, 137 when it was killed, 77 when this process may not trace.

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int kMayNotTrace = 77;

struct Call {
  long number;
  std::string_view name;
};

constexpr Call kCalls[] = {
    {SYS_write, "write"},         {SYS_pwrite64, "pwrite64"},   {SYS_writev, "writev"},
    {SYS_pwritev, "pwritev"},     {SYS_fsync, "fsync"},         {SYS_fdatasync, "fdatasync"},
    {SYS_ftruncate, "ftruncate"}, {SYS_rename, "rename"},       {SYS_renameat, "renameat"},
    {SYS_renameat2, "renameat2"}, {SYS_unlink, "unlink"},       {SYS_unlinkat, "unlinkat"},
    {SYS_mkdir, "mkdir"},         {SYS_mkdirat, "mkdirat"},     {SYS_openat, "openat"},
    {SYS_link, "link"},           {SYS_fallocate, "fallocate"},
};

/// Where to kill.
struct Place {
  int thread = 0;
  std::string call;
  long n = 0;
};

struct Options {
  std::string log;
  std::optional<Place> at;
  std::vector<char*> command;
};

std::optional<Place> place_of(std::string_view text) {
  const std::size_t first = text.find(':'), last = text.rfind(':');
  if (first == last) return {};
  Place place{.call = std::string(text.substr(first + 1, last - first - 1))};
  auto whole = [](std::string_view digits, auto& number) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), number).ptr ==
           digits.data() + digits.size();
  };
  if (!whole(text.substr(0, first), place.thread) || !whole(text.substr(last + 1), place.n))
    return {};
  return place;
}

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i + 1 < argc && std::string_view(argv[i]).starts_with("--"); i += 2) {
    const std::string_view word = argv[i];
    if (word == "--log") {
      options.log = argv[i + 1];
    } else if (word != "--at" || !(options.at = place_of(argv[i + 1]))) {
      return {};
    }
  }
  for (; i < argc; ++i) options.command.push_back(argv[i]);
  if (options.command.empty()) return {};
  options.command.push_back(nullptr);
  return options;
}

/// Makes the kernel stop this process and its children at the calls above, and at no others.
bool install_filter() {
  std::vector<sock_filter> code{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const Call& call : kCalls) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call.number), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

[[noreturn]] void become(const Options& options) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kMayNotTrace);
  ::raise(SIGSTOP);
  if (!install_filter()) ::_exit(kMayNotTrace);
  ::execv(options.command[0], options.command.data());
  std::fprintf(stderr, "kill-at: cannot start %s: %s\n", options.command[0], std::strerror(errno));
  ::_exit(127);
}

class Tracer {
 public:
  Tracer(pid_t root, const Options& options) : root_(root), options_(options) { number(root); }

  /// Until the program has ended; returns the wait status of its first process.
  int run() {
    int last = 0, status = 0;
    for (pid_t tid; (tid = ::waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
      if (tid < 0) continue;
      if (!WIFSTOPPED(status)) {
        if (tid == root_) last = status;
        continue;
      }
      stopped(tid, status);
    }
    write_log();
    return last;
  }

 private:
  void stopped(pid_t tid, int status) {
    const int event = status >> 16;
    int signal = event == 0 ? WSTOPSIG(status) : 0;
    if (event == PTRACE_EVENT_SECCOMP) called(tid);
    if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
      born(tid);
    if (signal == SIGSTOP && first_stop(tid)) return;
    if (signal == SIGSTOP) signal = 0;
    go_on(tid, signal);
  }

  void go_on(pid_t tid, int signal) { ::ptrace(PTRACE_CONT, tid, nullptr, signal); }

  void number(pid_t tid) {
    const int next = static_cast<int>(numbers_.size());
    numbers_.emplace(tid, next);
  }

  /// The thread that makes another is told of it first or second; only it knows the order of
  /// births.
  void born(pid_t parent) {
    unsigned long child = 0;
    ::ptrace(PTRACE_GETEVENTMSG, parent, nullptr, &child);
    const auto tid = static_cast<pid_t>(child);
    number(tid);
    if (held_.erase(tid) != 0) go_on(tid, 0);
  }

  /// True when the thread has to wait until its number is known.
  bool first_stop(pid_t tid) {
    if (numbers_.contains(tid)) return false;
    held_.insert(tid);
    return true;
  }

  void called(pid_t tid) {
    __ptrace_syscall_info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0) return;
    for (const Call& call : kCalls) {
      if (static_cast<unsigned long>(call.number) == info.seccomp.nr && counts(tid, call, info))
        count(tid, std::string(call.name));
    }
  }

  static bool counts(pid_t tid, const Call& call, const __ptrace_syscall_info& info) {
    if (call.number == SYS_openat) return (info.seccomp.args[2] & O_CREAT) != 0;
    if (call.number != SYS_write && call.number != SYS_writev) return true;
    const auto fd = static_cast<int>(info.seccomp.args[0]);
    if (fd == STDOUT_FILENO || fd == STDERR_FILENO) return true;
    std::array<char, 512> target{};
    const std::string link = "/proc/" + std::to_string(tid) + "/fd/" + std::to_string(fd);
    return ::readlink(link.c_str(), target.data(), target.size()) > 0 && target[0] == '/';
  }

  void count(pid_t tid, const std::string& call) {
    const int thread = numbers_.at(tid);
    const long n = ++counted_[{thread, call}];
    if (n == 1) names_[thread] = name_of(tid);
    const auto& at = options_.at;
    if (at && at->thread == thread && at->call == call && at->n == n) ::kill(root_, SIGKILL);
  }

  static std::string name_of(pid_t tid) {
    std::ifstream file("/proc/" + std::to_string(tid) + "/comm");
    std::string name;
    std::getline(file, name);
    for (char& c : name)
      if (c == ' ') c = '-';
    return name.empty() ? "?" : name;
  }

  void write_log() const {
    if (options_.log.empty()) return;
    std::ofstream out(options_.log);
    for (const auto& [key, n] : counted_)
      out << key.first << ' ' << names_.at(key.first) << ' ' << key.second << ' ' << n << '\n';
  }

  pid_t root_;
  const Options& options_;
  std::map<pid_t, int> numbers_;
  std::set<pid_t> held_;
  std::map<std::pair<int, std::string>, long> counted_;
  std::map<int, std::string> names_;
};

int trace(pid_t root, const Options& options) {
  int status = 0;
  if (::waitpid(root, &status, 0) != root || !WIFSTOPPED(status)) return kMayNotTrace;
  const long wanted = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                      PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (::ptrace(PTRACE_SETOPTIONS, root, nullptr, wanted) != 0) {
    ::kill(root, SIGKILL);
    return kMayNotTrace;
  }
  ::ptrace(PTRACE_CONT, root, nullptr, 0);
  status = Tracer(root, options).run();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = read_options(argc, argv);
  if (!options) {
    std::fputs("usage: kill-at [--log FILE] [--at THREAD:CALL:N] COMMAND...\n", stderr);
    return 2;
  }
  const pid_t root = ::fork();
  if (root < 0) return kMayNotTrace;
  if (root == 0) become(*options);
  return trace(root, *options);
}
