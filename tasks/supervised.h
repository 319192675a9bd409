#pragma once
// Programs of the user, each under a supervisor of its own (tasks/supervise): started, stopped and
// listened to without ever waiting for one.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "tasks/supervise/protocol.h"

namespace tasks {

/// What is to run.
struct SupervisedProgram {
  std::string path;                                     ///< the executable
  std::vector<std::string> words;                       ///< the first is its name
  std::string folder;                                   ///< where it runs, absolute
  std::map<std::string, std::string> environment = {};  ///< besides that of this process
  SupervisorOrder order;
  int log = -1;              ///< open for appending: what the program prints
  std::string reports = {};  ///< the path of the file that it reports in
};

/// What a program did since it was asked last. `over` comes last and once.
struct ProgramNews {
  std::uint64_t program = 0;
  SupervisorNews news;
};

/// All programs of a process. Its owner's thread calls everything. While it lives, this process
/// adopts what a killed supervisor leaves, and ends it: no child of this process but supervisors
/// and those that were there before may live beside it. This process may open as many files as the
/// system allows from then on; its programs, as many as before.
class Supervisors {
 public:
  /// `wake` is called, from another thread, when there is something to take().
  explicit Supervisors(std::function<void()> wake);
  /// Ends all that runs: SIGTERM, grace, SIGKILL.
  ~Supervisors();
  Supervisors(const Supervisors&) = delete;
  Supervisors& operator=(const Supervisors&) = delete;

  /// Starts a program and returns its number. Throws base::NoMore, and
  /// base::StartFailure when the words are too long for the system. What else keeps the program
  /// from starting is news (ProcessEnd::refused).
  [[nodiscard]] std::uint64_t start(const SupervisedProgram& program);

  /// Asks a program to end. Without effect on one that is over.
  void stop(std::uint64_t program);

  /// Tells the supervisors of all programs that this process lives (SupervisorOrder::silence).
  void beat();

  /// What happened since the last call. Never waits.
  [[nodiscard]] std::vector<ProgramNews> take();

  [[nodiscard]] std::size_t running() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tasks
