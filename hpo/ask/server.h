#pragma once
// Serves a study to all who connect: one loop, one thread, many calls a commit.

#include <atomic>
#include <deque>
#include <list>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "hpo/ask/asked_study.h"
#include "hpo/ask/socket.h"

namespace hpo {

/// Whatever came in while the last commit was written shares the next one, and is answered when
/// that is on the disk. Who asks for a trial whose proposal is still being made stands in line;
/// whatever else is said is answered meanwhile. Who has hung up leaves the line, and gets no trial.
/// Not thread-safe.
class AskServer {
 public:
  /// Both outlive it. Who has connected before is served, too.
  AskServer(AskListener& listener, AskedStudy& study);

  /// Returns when nobody was connected for `idle` seconds, somebody asked to stop, or the study was
  /// removed from its folder. Throws what the log throws: then nothing was answered that is not on
  /// the disk.
  void serve(double idle, const std::atomic<int>& interrupts);

 private:
  struct Connection {
    base::File socket;
    std::string in;         ///< not yet a line
    std::string answers;    ///< wait for the commit
    std::string out;        ///< may be sent
    bool ended = false;     ///< nothing more will be read
    bool too_long = false;  ///< what comes up to the next end of a line was refused
    bool waits = false;     ///< in line, for a proposal
    bool hung_up = false;   ///< hears no answer; one that has only said all still does
    [[nodiscard]] bool listens() const;
    [[nodiscard]] bool done() const { return ended && !waits && out.empty() && answers.empty(); }
  };

  void wait(double idle);
  void accept_all();
  static void receive(Connection& connection);
  /// Those who have hung up leave the line.
  void look_who_hung_up();
  /// Whether there is an answer for the first one in line.
  [[nodiscard]] bool may_serve_line() const;
  /// Answers what needs no proposal that is still being made; first those in line.
  void answer_all();
  static void refuse_long_line(Connection& connection);
  void answer(Connection& connection);
  static void send(Connection& connection);

  AskedStudy& study_;
  AskListener& listener_;
  std::list<Connection> connections_;
  std::deque<Connection*> line_;  ///< that wait for a proposal
  base::Moment last_;             ///< when somebody was connected
  base::Moment looked_;           ///< whether the listener stands
  bool full_ = false;             ///< the system has no descriptor left for one more
};

}  // namespace hpo
