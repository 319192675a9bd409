#include "tasks/supervised.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/executable.h"
#include "base/process/descendants.h"
#include "base/process/no_more.h"
#include "base/process/start.h"
#include "base/text.h"

namespace tasks {

namespace {

/// How long a supervisor may take to end a program once its grace is over, before it counts as
/// stuck.
constexpr base::Duration kStuck = std::chrono::seconds(12);

constexpr std::uint64_t kLeave = 0;  ///< the number that no program has: the listener is to end

std::string supervisor_path() {
  const base::Path beside = base::beside_this_program("trellis-supervise");
  if (::access(beside.c_str(), X_OK) == 0) return beside;
  for (const base::Path& folder : base::folders_of_parts("tasks")) {
    const base::Path path = folder / "trellis-supervise";
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  throw base::Error(
      base::Errc::storage,
      base::cat("there is no trellis-supervise next to ", base::this_program().string(),
                ", expected all programs of a build in one folder; build again"));
}

struct Sockets {
  base::File ours, theirs;
};

Sockets make_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw base::NoMore("make a socket", errno);
  return {base::File(ends[0]), base::File(ends[1])};
}

}  // namespace

struct Supervisors::Impl {
  struct Child {
    pid_t process = -1;
    base::File socket;
    base::Duration grace{};
    std::optional<base::Moment> asked;
    bool over = false;  ///< it has said how the program ended
  };

  explicit Impl(std::function<void()> wake)
      : path(supervisor_path()),
        poll(::epoll_create1(EPOLL_CLOEXEC)),
        leave(::eventfd(0, EFD_CLOEXEC)),
        nothing(::open("/dev/null", O_RDWR | O_CLOEXEC)),
        before(base::children()) {
    if (!poll || !leave || !nothing) throw base::NoMore("listen to programs", errno);
    base::raise_file_limit();
    watch(leave.fd(), kLeave);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    listener = std::thread([this, wake = std::move(wake)] { listen(wake); });
  }

  ~Impl() {
    constexpr std::uint64_t kOne = 1;
    (void)!::write(leave.fd(), &kOne, sizeof kOne);
    listener.join();
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  /// Edges only: one call of `wake` for what may be several messages.
  void watch(int fd, std::uint64_t number) const {
    epoll_event event{.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data = {.u64 = number}};
    if (::epoll_ctl(poll.fd(), EPOLL_CTL_ADD, fd, &event) != 0)
      throw base::NoMore("make a place to listen at", errno);
  }

  void listen(const std::function<void()>& wake) const {
    std::array<epoll_event, 64> events{};
    for (;;) {
      const int count = ::epoll_wait(poll.fd(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        if (events[static_cast<std::size_t>(i)].data.u64 == kLeave) return;
      }
      if (count > 0) wake();
    }
  }

  /// What one supervisor has said; true when it is gone.
  bool hear(std::uint64_t number, Child& child, std::vector<ProgramNews>& out) {
    SupervisorNews news;
    for (;;) {
      const ssize_t bytes = ::recv(child.socket.fd(), &news, sizeof news, MSG_DONTWAIT);
      // A supervisor that ended without reading our word: said once, before what it said itself.
      if (bytes < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
      if (bytes < 0 && errno == EAGAIN) return false;
      if (bytes != sizeof news) break;
      child.over = child.over || news.over;
      out.push_back({number, news});
    }
    while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) continue;
    if (!child.over) {
      end_orphans(child.process);
      out.push_back({number, {.over = true, .end = base::ProcessEnd::lost}});
    }
    return true;
  }

  /// What a killed supervisor leaves comes to this process.
  void end_orphans(pid_t supervisor) {
    std::set<pid_t> known(before.begin(), before.end());
    for (const auto& [number, child] : children) {
      if (child.process != supervisor) known.insert(child.process);
    }
    for (int round = 0; round < 1000; ++round) {
      std::vector<pid_t> orphans = base::children();
      std::erase_if(orphans, [&](pid_t process) { return known.contains(process); });
      if (orphans.empty()) return;
      for (const pid_t orphan : orphans) {
        ::kill(orphan, SIGKILL);
        ::waitpid(orphan, nullptr, 0);
      }
    }
  }

  void kill_stuck() {
    for (auto& [number, child] : children) {
      if (child.asked && base::now() > *child.asked + child.grace + kStuck)
        ::kill(child.process, SIGKILL);
    }
  }

  std::string path;
  base::File poll, leave, nothing;
  std::vector<pid_t> before;
  std::map<std::uint64_t, Child> children;
  std::uint64_t next = kLeave + 1;
  std::thread listener;
};

Supervisors::Supervisors(std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(wake))) {}

Supervisors::~Supervisors() {
  for (const auto& [number, child] : impl_->children) stop(number);
  while (running() > 0) {
    (void)take();
    if (running() > 0) base::sleep_for(std::chrono::milliseconds(1));
  }
}

std::uint64_t Supervisors::start(const SupervisedProgram& program) {
  Sockets sockets = make_sockets();
  if (::send(sockets.ours.fd(), &program.order, sizeof program.order, MSG_NOSIGNAL) < 0)
    throw base::NoMore("make a socket", errno);
  std::vector<std::string> words{impl_->path, program.reports, program.path};
  words.insert(words.end(), program.words.begin(), program.words.end());
  const int nothing = impl_->nothing.fd();
  const std::array<int, 4> files{nothing, program.log, nothing, sockets.theirs.fd()};
  const std::uint64_t number = impl_->next++;
  impl_->watch(sockets.ours.fd(), number);
  Impl::Child child{
      .process = base::start_process({.path = impl_->path,
                                      .words = std::move(words),
                                      .environment = base::environment_with(program.environment),
                                      .folder = program.folder,
                                      .death_signal = SIGTERM},
                                     files),
      .socket = std::move(sockets.ours),
      .grace = base::Duration(program.order.grace)};
  impl_->children.emplace(number, std::move(child));
  return number;
}

void Supervisors::beat() {
  constexpr DriverWord kBeat = DriverWord::beat;
  for (const auto& [number, child] : impl_->children)
    (void)::send(child.socket.fd(), &kBeat, sizeof kBeat, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Supervisors::stop(std::uint64_t program) {
  const auto found = impl_->children.find(program);
  if (found == impl_->children.end() || found->second.asked) return;
  found->second.asked = base::now();
  constexpr DriverWord kStop = DriverWord::stop;
  (void)::send(found->second.socket.fd(), &kStop, sizeof kStop, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::vector<ProgramNews> Supervisors::take() {
  impl_->kill_stuck();
  std::vector<ProgramNews> news;
  for (auto child = impl_->children.begin(); child != impl_->children.end();) {
    child = impl_->hear(child->first, child->second, news) ? impl_->children.erase(child)
                                                           : std::next(child);
  }
  return news;
}

std::size_t Supervisors::running() const { return impl_->children.size(); }

}  // namespace tasks
