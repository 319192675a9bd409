// An agent whose calls take time and compute nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "runtime/net/agent.h"
#include "runtime/net/in_process.h"

namespace rt::net {

/// Nobody sends signs of life: losses are told to the driver by whoever plays them.
inline constexpr base::Duration kNoSilence = std::chrono::hours(100'000);

[[nodiscard]] constexpr base::Duration simulated_time(double seconds) noexcept {
  return base::Duration(static_cast<std::int64_t>(seconds * 1e9));
}

/// The constants of a simulated call. Encodable.
struct SimulatedBody {
  double seconds = 0;                ///< of a worker
  std::vector<std::uint64_t> sizes;  ///< bytes of each output
  std::uint32_t tells = 0;  ///< messages while it runs, at even intervals, the last at its end
  double start = 0;         ///< seconds of its worker before `seconds` begin
  double stop = 0;          ///< seconds of its worker after its end, or after it was cancelled
  double told = 0;          ///< seconds from a message until it is sent
};

/// Contents of zeros. A content travels in many pieces, each of which asks for the whole of it, so
/// the last few sizes are kept.
class Zeros {
 public:
  [[nodiscard]] Agent::Blob of(std::uint64_t size);

 private:
  std::deque<Agent::Blob> known_;  ///< the last one used first
};

/// One node: its agent, and workers that take the calls of its parcels, the largest priority first.
/// Equal calls of two parcels run once. Not thread-safe.
class SimulatedAgent final : public EndPoint, private Agent::Work {
 public:
  struct Size {
    int workers = 1;
    int gpus = 0;
    bool counts_workers = true;  ///< among the slots; else nothing runs there
    bool counts_gpus = true;
  };

  /// The network and the zeros outlive it.
  SimulatedAgent(InProcess& network, InProcess::Node node, Size size, Zeros& zeros);
  ~SimulatedAgent() override;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool alive() const noexcept { return agent_.has_value(); }

  /// Begins as a new agent, which has nothing, and comes to the driver.
  void start();
  /// Loses power: nobody hears of it, and what it had is gone. Returns the seconds of bodies that
  /// had not ended.
  double lose();

  /// Workers and GPUs, as far as they count, and how many of them run calls.
  [[nodiscard]] int slots() const noexcept { return counted(size_.workers, size_.gpus); }
  [[nodiscard]] int busy() const noexcept;
  /// Calls that wait for a content on its way here, no more than would find a free worker.
  [[nodiscard]] int fetching() const noexcept;

 private:
  /// A call of a parcel.
  struct Running {
    enum class State : std::uint8_t { waits, runs, over };
    Call call;
    SimulatedBody body;
    State state = State::waits;
    std::uint64_t order = 0;  ///< of arrival
    base::Moment begun{};
  };
  using Parcels = std::map<ParcelId, std::vector<Running>>;

  // The network.
  void opened(LinkId link) override;
  void received(LinkId link, std::span<const std::byte> frame) override;
  void closed(LinkId link) override;
  // The agent.
  void run(Parcel parcel) override;
  void cancel(ParcelId parcel) override;
  void drop(const std::vector<base::Key>& keys) override;
  Agent::Blob content(base::Key key) override;
  void arrived(base::Key key, const Agent::Blob& content) override;
  std::vector<std::pair<base::Key, std::uint64_t>> holds() override { return {}; }
  void dial() override { network_.dial(node_); }
  void welcomed(std::uint32_t, std::uint64_t) override {}
  void dismissed(Dismissal, const std::string&) override {}

  [[nodiscard]] int counted(int workers, int gpus) const noexcept {
    return (size_.counts_workers ? workers : 0) + (size_.counts_gpus ? gpus : 0);
  }
  [[nodiscard]] bool has_inputs(const Running& running) const;
  [[nodiscard]] bool is_made(const Running& running) const;
  [[nodiscard]] bool is_being_made(const Running& running) const;
  [[nodiscard]] int& free_for(Device device) noexcept;
  void go_on();
  bool begin_next();
  void begin(ParcelId parcel, std::size_t index);
  void tell(ParcelId parcel, std::size_t index, std::uint32_t times);
  void end(ParcelId parcel, std::size_t index, End how);
  void give_back(const Running& running) noexcept;

  InProcess& network_;
  InProcess::Node node_;
  Size size_;
  Zeros& zeros_;
  std::string name_;
  std::optional<Agent> agent_;
  Parcels parcels_;
  std::map<base::Key, std::uint64_t> kept_;  ///< sizes in bytes
  std::set<base::Key> asked_;                ///< contents on their way
  std::uint64_t arrivals_ = 0;
  int free_workers_ = 0;
  int free_gpus_ = 0;
  std::uint64_t lives_ = 0;
};

}  // namespace rt::net
