#pragma once
// How agents train one network together (`resources: {members: N}`): an agent's trainings take in
// workers of other agents, and its own workers that have no task are such visitors elsewhere.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hpo/study/spec.h"
#include "runtime/net/transport.h"
#include "runtime/nodes.h"
#include "tasks/open_gangs.h"

namespace hpo {

/// Returns true if a network of the study may be trained by several agents.
[[nodiscard]] bool lends_workers(const StudySpec& study);

/// Returns this machine's address for other agents of the driver at that address (host:port; empty:
/// it is not known).
[[nodiscard]] std::string address_for_agents(const std::string& driver);

/// Trainings of an agent that others may join, of a study that lends_workers(). It outlives the
/// runtime.
class VisitorTrainings {
 public:
  /// Listens at that address for agents of the study. Throws base::Error (storage) if that cannot
  /// be.
  VisitorTrainings(const StudySpec& study, const rt::net::Identity& own, const std::string& at);
  ~VisitorTrainings();
  VisitorTrainings(const VisitorTrainings&) = delete;
  VisitorTrainings& operator=(const VisitorTrainings&) = delete;

  [[nodiscard]] std::vector<rt::net::Wish> wishes() const { return gangs_.wishes(); }

 private:
  tasks::OpenGangs gangs_;
};

/// A loan is a process on the cores of this agent (`trellis member`), which ends with this one.
class LentWorkers final : public rt::Loans {
 public:
  /// `trainings` outlives this. `node`: what this agent is called.
  LentWorkers(const StudySpec& study, const VisitorTrainings& trainings, rt::net::Identity own,
              std::string at, std::string node);
  ~LentWorkers() override;
  LentWorkers(const LentWorkers&) = delete;
  LentWorkers& operator=(const LentWorkers&) = delete;

  [[nodiscard]] std::vector<rt::net::Wish> wishes() override { return trainings_.wishes(); }
  void begin(std::uint64_t loan, const base::Bytes& terms) override;
  void end(std::uint64_t loan) override;
  [[nodiscard]] std::vector<std::uint64_t> take_ended() override;

 private:
  struct Visitor {
    std::uint64_t loan = 0;  ///< 0: it is over
    pid_t process = -1;
  };
  [[nodiscard]] pid_t start(const base::Bytes& terms) const;

  const VisitorTrainings& trainings_;
  const rt::net::Identity own_;
  const std::string at_, node_;
  const kern::Precision precision_;
  const std::vector<std::string> words_;  ///< of a member
  std::vector<Visitor> visitors_;
  std::vector<std::uint64_t> ended_;  ///< loans that could not begin
};

}  // namespace hpo
