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
#include <cstdio>
#include <ctime>
#include <optional>

#include "base/process/launch.h"
#include "tasks/supervise/descendants.h"
#include "tasks/supervise/log_file.h"
#include "tasks/supervise/protocol.h"

namespace tasks {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTellEvery = kSecond / 50;  ///< so often the driver hears of new output
constexpr std::int64_t kWeighEvery = kSecond / 4;  ///< so often memory is looked at
/// So often for reports. Not by inotify, whose end takes the kernel longer than a short program.
constexpr std::int64_t kLookEvery = kSecond / 20;
constexpr std::int64_t kMostLeaving = 10 * kSecond;  ///< for what the kernel does not let go

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

class Supervisor {
 public:
  Supervisor(const SupervisorOrder& order, const char* reports, pid_t driver)
      : order_(order), reports_(reports), driver_(driver), log_(kSupervisorLog, order.log_bytes) {}

  void run(char** words) {
    adopt();
    started_ = progressed_ = now();
    if (start(words)) {
      while (!ended_ || has_grace()) wait_and_serve();
      leave_nothing();
      for (int piece = 0; piece < 64 && take_output(); ++piece) continue;
      if (!cut_) {
        news_.end = WIFSIGNALED(status_) ? RunEnd::killed : RunEnd::exited;
        news_.status = WIFSIGNALED(status_) ? WTERMSIG(status_) : WEXITSTATUS(status_);
      }
    }
    news_.over = true;
    news_.took = now() - started_;
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
    std::array<int, 2> pipe{};
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || ::pipe2(pipe.data(), O_CLOEXEC) != 0) return refuse(errno);
    const std::array<int, 3> files{nothing, pipe[1], pipe[1]};
    child_ = base::launch(
        {.path = words[0], .words = words + 1, .environment = environ, .files = files});
    const int reason = errno;
    ::close(nothing);
    ::close(pipe[1]);
    output_ = pipe[0];
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
    return child_ > 0 || refuse(reason);
  }

  bool refuse(int reason) {
    news_.end = RunEnd::refused;
    news_.status = reason;
    return false;
  }

  void wait_and_serve() {
    std::array<pollfd, 3> watched{
        {{signals_, POLLIN, 0}, {output_, POLLIN, 0}, {kSupervisorSocket, POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), milliseconds_left());
    if (watched[1].revents != 0) (void)take_output();
    look_at_reports();
    if (watched[2].revents != 0) hear_driver();
    if (watched[0].revents != 0) hear_signals();
    obey_limits();
    tell();
  }

  [[nodiscard]] int milliseconds_left() const {
    const std::int64_t here = now();
    std::int64_t due = here + kLookEvery;
    const auto consider = [&](std::int64_t moment) { due = std::min(due, moment); };
    if (cut_) consider(*cut_ + order_.grace);
    if (killed_) consider(here + kSecond / 100);
    if (!cut_ && order_.time > 0) consider(started_ + order_.time);
    if (!cut_ && order_.stall > 0) consider(progressed_ + order_.stall);
    if (order_.memory > 0) consider(weighed_ + kWeighEvery);
    if (untold_) consider(told_ + kTellEvery);
    return static_cast<int>(std::max<std::int64_t>(0, due - here) / 1'000'000) + 1;
  }

  void obey_limits() {
    const std::int64_t here = now();
    if (order_.memory > 0 && here >= weighed_ + kWeighEvery) {
      weighed_ = here;
      const std::vector<pid_t> all = descendants();
      if (resident_bytes(all) > order_.memory && proportional_bytes(all) > order_.memory) {
        cut(RunEnd::out_of_memory);
        kill_all();
      }
    }
    if (order_.time > 0 && here >= started_ + order_.time) cut(RunEnd::timed_out);
    if (order_.stall > 0 && here >= progressed_ + order_.stall) cut(RunEnd::stalled);
    if (cut_ && here >= *cut_ + order_.grace) kill_all();
  }

  /// Asks the program to end; the first reason counts.
  void cut(RunEnd why) {
    if (cut_) return;
    cut_ = now();
    news_.end = why;
    const std::vector<pid_t> all = descendants();
    ::kill(-child_, SIGTERM);
    ::kill(-child_, SIGCONT);
    for (const pid_t process : all) {
      if (::getpgid(process) == child_) continue;
      ::kill(process, SIGTERM);
      ::kill(process, SIGCONT);
    }
  }

  /// Whether what the program started may still end by itself: SIGTERM ends a shell at once, and
  /// not what it waits for.
  [[nodiscard]] bool has_grace() const {
    return cut_ && !killed_ && left_ && now() < *cut_ + order_.grace;
  }

  void kill_all() {
    killed_ = true;
    ::kill(-child_, SIGKILL);
    for (const pid_t process : descendants()) ::kill(process, SIGKILL);
  }

  /// Whether there are processes left.
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
    const std::int64_t begun = now();
    for (std::int64_t rest = kSecond / 10'000; now() - begun < kMostLeaving; rest *= 2) {
      if (!reap()) return;
      kill_all();
      const timespec pause{0, std::min(rest, kSecond / 100)};
      ::nanosleep(&pause, nullptr);
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
    if (bytes > 0) cut(RunEnd::stopped);
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR)) abandon();
  }

  /// The driver is gone: nobody wants what the program does.
  [[noreturn]] void abandon() {
    kill_all();
    leave_nothing();
    log_.finish();
    ::_exit(1);
  }

  /// Reads a piece; false when there is none now.
  bool take_output() {
    if (output_ < 0) return false;
    const ssize_t bytes = ::read(output_, piece_.data(), piece_.size());
    if (bytes > 0) {
      log_.take(piece_.data(), static_cast<std::size_t>(bytes));
      progressed();
      return true;
    }
    if (bytes == 0 || (errno != EAGAIN && errno != EINTR)) {
      ::close(output_);
      output_ = -1;
    }
    return false;
  }

  void look_at_reports() {
    struct stat file {};
    if (::lstat(reports_, &file) != 0) return;
    const bool same = file.st_ino == reported_.st_ino && file.st_size == reported_.st_size &&
                      file.st_mtim.tv_sec == reported_.st_mtim.tv_sec &&
                      file.st_mtim.tv_nsec == reported_.st_mtim.tv_nsec;
    if (same) return;
    reported_ = file;
    progressed();
  }

  void progressed() {
    progressed_ = now();
    untold_ = true;
  }

  /// Says that there is more to read, not too often.
  void tell() {
    if (!untold_ || now() < told_ + kTellEvery) return;
    told_ = now();
    untold_ = ::send(kSupervisorSocket, &news_, sizeof news_, MSG_NOSIGNAL | MSG_DONTWAIT) < 0;
  }

  SupervisorOrder order_;
  const char* reports_;
  pid_t driver_;
  LogFile log_;
  SupervisorNews news_;
  pid_t child_ = -1;
  int signals_ = -1, output_ = -1;
  std::int64_t started_ = 0, progressed_ = 0, weighed_ = 0, told_ = 0;
  struct stat reported_ {};  ///< as it was when looked at last
  bool untold_ = false;
  std::optional<std::int64_t> cut_;
  bool killed_ = false;
  bool ended_ = false;
  bool left_ = true;  ///< processes
  int status_ = 0;
  std::array<char, 65536> piece_;
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
