#pragma once
// Trainings of an agent that workers of other agents may join for a while. Each has a gang of
// visitors (gang.h) that listens for as long as it is wished for.
//
// This process only says what it could use. Who lends workers is decided elsewhere (rt::Loans).

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "runtime/net/messages.h"
#include "runtime/net/transport.h"
#include "runtime/place/device_model.h"
#include "tasks/gang.h"
#include "tasks/members/far_members.h"

namespace tasks {

/// How many processes may train one network.
struct VisitorRules {
  int members = 1;  ///< at most
  /// Only as many as make a step quicker on paper on this machine (step_cost.h). False: so many.
  bool judges = false;
  rt::Platform platform{};  ///< of an agent, for that
};

/// What a lent worker is told, for tasks::FarOrders. Encodable.
struct Invitation {
  std::string address;      ///< of the process that trains, host:port
  std::uint64_t token = 0;  ///< of its gang
};

/// Visitors that came to trainings of this process, and the seconds that they computed.
struct VisitorUse {
  double joined = 0, seconds = 0;
};

/// Thread-safe. It outlives the tasks that train with it.
class OpenGangs {
 public:
  /// Listens at that address of this machine. Throws as rt::net::Network::listen().
  OpenGangs(rt::net::Network& network, rt::net::Identity own, std::string at, Sameness same,
            VisitorRules rules);
  ~OpenGangs();
  OpenGangs(const OpenGangs&) = delete;
  OpenGangs& operator=(const OpenGangs&) = delete;

  /// As nn::train_steps() on the training part, with the same bits, and with visitors if some come.
  [[nodiscard]] nn::TrainStats train(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                                     nn::ParamSlab& net, const nn::Dataset& data,
                                     const nn::Hyper& hyper, const nn::Segment& segment,
                                     const nn::StopPredicate& stop, nn::Parallel* parallel);

  /// Returns what the trainings of this process could use now.
  [[nodiscard]] std::vector<rt::net::Wish> wishes() const;
  [[nodiscard]] VisitorUse use() const;

 private:
  /// How many visitors a training could use.
  struct Visitors {
    std::uint32_t least = 1, most = 0;
  };
  /// A gang, and what the training that it has, or had last, could use.
  struct Open {
    std::shared_ptr<Gang> gang;  ///< shared with a visitor that is let in
    Invitation invitation;
    Visitors visitors;
    bool trains = false;
    base::Moment until{};  ///< when its last training ended
  };

  /// Has a gang for one training.
  class Turn;

  [[nodiscard]] Visitors visitors_for(const nn::ParamSlab::Header& net,
                                      const nn::Hyper& hyper) const;
  [[nodiscard]] Open& free_gang();

  rt::net::Network& network_;
  const rt::net::Identity own_;
  const std::string at_;
  const VisitorRules rules_;
  FarMembers far_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::list<Open> all_;
};

/// From now on the `train` task trains with these, which outlive all trainings. Null: with nobody.
/// Not while a task runs.
void train_with(OpenGangs* gangs);
[[nodiscard]] OpenGangs* open_gangs_of_training();
/// Returns what visitors did for trainings of this process so far.
[[nodiscard]] VisitorUse visitors_of_trainings();

}  // namespace tasks
