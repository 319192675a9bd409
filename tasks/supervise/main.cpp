// trellis-supervise REPORTS PATH WORD...: runs one program until nothing of it is left. REPORTS is
// the file in which it reports, which it may make anew at any time.

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/process/descendants.h"
#include "base/process/launch.h"
#include "base/process/supervision.h"
#include "tasks/supervise/log_file.h"
#include "tasks/supervise/outlet.h"
#include "tasks/supervise/protocol.h"

namespace tasks {

namespace {

using base::Duration;
using base::Moment;
using base::ProcessEnd;

/// From message to message about new output.
constexpr Duration kTellEvery = std::chrono::milliseconds(20);
/// From look to look at memory.
constexpr Duration kWeighEvery = std::chrono::milliseconds(250);
/// From look to look for reports. Not by inotify, whose end takes the kernel longer than a short
/// program.
constexpr Duration kLookEvery = std::chrono::milliseconds(50);
/// The longest wait for processes that the kernel does not let go.
constexpr Duration kMostLeaving = std::chrono::seconds(10);

class Supervisor final : public base::Supervision {
 public:
  Supervisor(const SupervisorOrder& order, const char* reports, pid_t driver)
      : Supervision({.time = Duration(order.time),
                     .stall = Duration(order.stall),
                     .grace = Duration(order.grace)}),
        memory_(order.memory),
        output_(order.output),
        silence_(order.silence),
        reports_(reports),
        driver_(driver),
        log_(kSupervisorLog, order.log_bytes) {}

  void run(char** words) {
    adopt();
    const Moment started = base::now();
    if (start(words)) {
      serve();
      leave_nothing();
      drain();
      const base::ProcessOutcome end = outcome(status_);
      news_.end = end.end;
      news_.status = end.status;
      news_.memory = peak_memory();
    }
    news_.over = true;
    news_.took = (base::now() - started).count();
    news_.left_out = log_.finish();
    (void)::send(kSupervisorSocket, &news_, sizeof news_, MSG_NOSIGNAL);
  }

 private:
  /// What loses its parent comes to us, and dies before the driver does where memory runs out.
  void adopt() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    rlimit core{};
    ::getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &core);
    if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
      (void)!::write(score, "500", 3);
      ::close(score);
    }
    sigset_t heard;
    ::sigemptyset(&heard);
    // The others are sent to all processes of a job: they are the driver's and the program's.
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
      ::sigaddset(&heard, signal);
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    signals_ = ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  bool start(char** words) {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0) return refuse(errno);
    const Outlet outlet = open_outlet(output_);
    if (outlet.theirs < 0) return refuse(errno);
    const std::array<int, 3> files{nothing, outlet.theirs, outlet.theirs};
    child_ = base::launch(
        {.path = words[0], .words = words + 1, .environment = environ, .files = files});
    if (child_ < 0) return refuse(errno);
    ::close(nothing);
    ::close(outlet.theirs);
    read(outlet.ours, [this](std::string_view piece) {
      log_.take(piece.data(), piece.size());
      untold_ = true;
    });
    watch(kSupervisorSocket, POLLIN, [this] { hear_driver(); });
    watch(signals_, POLLIN, [this] { hear_signals(); });
    return true;
  }

  bool refuse(int reason) {
    news_.end = ProcessEnd::refused;
    news_.status = reason;
    return false;
  }

  void turn() override {
    if (silence_ > Duration::zero() && base::now() - heard_ > silence_) abandon();
    look_at_reports();
    weigh();
    tell();
  }

  [[nodiscard]] Duration rest(Moment here) const override {
    Duration rest = kLookEvery;
    if (memory_ > 0) rest = std::min(rest, kWeighEvery - (here - weighed_));
    if (untold_) rest = std::min(rest, kTellEvery - (here - told_));
    return rest;
  }

  void weigh() {
    if (memory_ == 0 || base::now() - weighed_ < kWeighEvery) return;
    weighed_ = base::now();
    const std::vector<pid_t> all = base::descendants();
    if (base::resident_bytes(all) > memory_ && base::proportional_bytes(all) > memory_) {
      cut(ProcessEnd::out_of_memory);
      kill();
    }
  }

  /// What left the program's group, as timeout(1) and setsid(1) do, is asked as well.
  void ask_to_end() override {
    const std::vector<pid_t> all = base::descendants();
    for (const int signal : {SIGTERM, SIGCONT}) {
      ::kill(-child_, signal);
      for (const pid_t process : all) {
        if (::getpgid(process) != child_) ::kill(process, signal);
      }
    }
  }

  void kill_all() override {
    ::kill(-child_, SIGKILL);
    for (const pid_t process : base::descendants()) ::kill(process, SIGKILL);
  }

  /// What the program started may still end by itself after it: SIGTERM ends a shell at once, and
  /// not what it waits for.
  [[nodiscard]] bool is_over() override { return ended_ && !(in_grace() && left_); }

  /// Returns true where there are processes left.
  bool reap() {
    int status = 0;
    pid_t dead = 0;
    while ((dead = ::waitpid(-1, &status, WNOHANG)) > 0) {
      if (dead != child_) continue;
      ended_ = true;
      status_ = status;
    }
    return left_ = dead == 0;
  }

  /// The program is gone; what it left behind follows it.
  void leave_nothing() {
    const Moment begun = base::now();
    Duration rest = std::chrono::microseconds(100);
    for (; base::now() - begun < kMostLeaving; rest *= 2) {
      if (!reap()) return;
      kill_all();
      base::sleep_for(std::min<Duration>(rest, std::chrono::milliseconds(10)));
    }
  }

  void hear_signals() {
    signalfd_siginfo heard{};
    while (::read(signals_, &heard, sizeof heard) == sizeof heard) {
      // It also comes when the driver dies. One that lives says itself what is to end.
      if (heard.ssi_signo == SIGTERM && ::getppid() != driver_) abandon();
      if (heard.ssi_signo == SIGTERM || heard.ssi_signo == SIGINT) news_.job_signal = true;
    }
    (void)reap();
  }

  void hear_driver() {
    DriverWord word{};
    const ssize_t bytes = ::recv(kSupervisorSocket, &word, sizeof word, MSG_DONTWAIT);
    heard_ = base::now();
    if (bytes > 0 && word == DriverWord::stop) cut(ProcessEnd::stopped);
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR)) abandon();
  }

  /// The driver is gone: nobody wants what the program does.
  [[noreturn]] void abandon() {
    kill_all();
    leave_nothing();
    log_.finish();
    ::_exit(1);
  }

  /// Returns the bytes of the largest process that has ended, adopted ones included.
  static std::uint64_t peak_memory() {
    constexpr std::uint64_t kKilo = 1024;
    rusage ended{};
    return ::getrusage(RUSAGE_CHILDREN, &ended) == 0
               ? static_cast<std::uint64_t>(ended.ru_maxrss) * kKilo
               : 0;
  }

  void look_at_reports() {
    struct stat file {};
    if (::lstat(reports_, &file) != 0) return;
    const bool same = file.st_ino == reported_.st_ino && file.st_size == reported_.st_size &&
                      file.st_mtim.tv_sec == reported_.st_mtim.tv_sec &&
                      file.st_mtim.tv_nsec == reported_.st_mtim.tv_nsec;
    if (same) return;
    reported_ = file;
    untold_ = true;
    progressed();
  }

  /// Says that there is more to read, not too often.
  void tell() {
    if (!untold_ || base::now() - told_ < kTellEvery) return;
    told_ = base::now();
    untold_ = ::send(kSupervisorSocket, &news_, sizeof news_, MSG_NOSIGNAL | MSG_DONTWAIT) < 0;
  }

  std::uint64_t memory_;  ///< bytes that it may take; 0: no limit
  ProgramOutput output_;
  Duration silence_;  ///< of the driver, after which it counts as gone; 0: any
  Moment heard_ = base::now();
  const char* reports_;
  pid_t driver_;
  LogFile log_;
  SupervisorNews news_;
  pid_t child_ = -1;
  int signals_ = -1;
  Moment weighed_, told_;
  struct stat reported_ {};  ///< as it was when looked at last
  bool untold_ = false;
  bool ended_ = false;
  bool left_ = true;  ///< processes
  int status_ = 0;
};

}  // namespace

}  // namespace tasks

int main(int argc, char** argv) {
  const pid_t driver = ::getppid();
  tasks::SupervisorOrder order;
  const ssize_t bytes = ::recv(tasks::kSupervisorSocket, &order, sizeof order, 0);
  if (argc < 4 || bytes != sizeof order) return 2;
  static tasks::Supervisor supervisor(order, argv[1], driver);
  supervisor.run(argv + 2);
  return 0;
}
