// A driver's dispatcher and its agents on the network inside one process, with a clock of its own:
// calls take time and compute nothing, and nodes are lost. The dispatcher, its placement and the
// agents are those of real runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "runtime/net/dispatcher.h"
#include "runtime/net/in_process.h"
#include "runtime/net/simulated_agent.h"
#include "runtime/place/device_model.h"

namespace rt::net {

/// Not thread-safe. Everything happens inside step(), and is the same each time for a seed.
class SimulatedNodes final : private EndPoint, private Dispatcher::Client {
 public:
  struct Options {
    Platform platform;       ///< with nodes
    std::uint64_t seed = 0;  ///< of the losses
    /// Kinds of device that calls are for: the others are no slots.
    bool uses_workers = true, uses_gpus = true;
    /// Bytes of the largest content. Above 64 MiB, contents and bandwidths are scaled down.
    std::uint64_t largest = 0;
    base::Duration patience = std::chrono::seconds(3);  ///< silence after which a node is lost
  };
  /// Called inside step(); of the methods here they may call retain() alone.
  struct Listener {
    std::function<void(std::uint64_t call, End how)> ended;
    /// A call said that many times that it is still running; one that runs again begins anew.
    std::function<void(std::uint64_t call, std::uint32_t times)> told;
  };

  SimulatedNodes(const Options& options, Listener listener);
  ~SimulatedNodes() override;
  SimulatedNodes(const SimulatedNodes&) = delete;
  SimulatedNodes& operator=(const SimulatedNodes&) = delete;

  /// A call with that body; other members as for the dispatcher.
  [[nodiscard]] Submission submission(std::uint64_t id, Call call, SimulatedBody body) const;
  /// Each agent makes what it makes from `file` for itself, and has the file of `bytes` sent
  /// before.
  void remember_source(Submission source, base::Key file, std::uint64_t bytes);
  /// These do what they do in a Dispatcher.
  void submit(std::vector<Submission> calls);
  void cancel(const std::vector<std::uint64_t>& calls);
  void retain(base::Key key) { dispatcher_->retain(key); }

  /// Lets the next thing happen. False: nothing ever will, because all nodes are gone for good.
  bool step();
  [[nodiscard]] base::Moment now() const noexcept { return network_.now(); }

  /// How slots are used at this moment; a slot is a worker or a GPU.
  struct Use {
    int slots = 0;     ///< of all nodes
    int busy = 0;      ///< that run a call
    int fetching = 0;  ///< that wait for a content to come
    int lost = 0;      ///< of nodes that are gone
  };
  [[nodiscard]] Use use() const noexcept;
  [[nodiscard]] std::size_t losses() const noexcept { return losses_; }
  /// Seconds of workers in calls that were lost with their node.
  [[nodiscard]] double wasted() const noexcept { return wasted_; }

 private:
  // The network.
  void opened(LinkId link) override { dispatcher_->opened(link, now()); }
  void received(LinkId link, std::span<const std::byte> frame) override {
    dispatcher_->received(link, frame, now());
  }
  void closed(LinkId link) override { dispatcher_->closed(link, "closed", now()); }
  // The dispatcher.
  void ended(std::uint64_t call, Outcome outcome) override;
  void told(std::uint64_t call, const std::string& text) override;
  void arrived(base::Key, const Dispatcher::Blob&) override {}
  Dispatcher::Blob content(base::Key key) override;
  void unneeded(base::Key) override {}
  void changed(const AgentView&, std::size_t) override {}
  void fenced(std::uint64_t) override {}

  void lay_cables(const NodesModel& nodes);
  void tick();
  void expect_loss(double intervals);
  void lose_one();
  [[nodiscard]] std::uint64_t scaled(std::uint64_t bytes) const noexcept;

  Options options_;
  Listener listener_;
  double scale_;  ///< contents and bandwidths are so many times smaller than they say
  InProcess network_;
  Zeros zeros_;
  std::vector<std::unique_ptr<SimulatedAgent>> agents_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::map<base::Key, std::uint64_t> files_;  ///< that the driver has; sizes in bytes, scaled
  base::Stream chance_;
  base::Moment busy_until_{};  ///< the driver
  std::size_t losses_ = 0;
  std::size_t coming_ = 0;  ///< lost nodes that will be back
  double wasted_ = 0;
};

}  // namespace rt::net
