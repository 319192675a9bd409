// An agent's side: comes to a driver, takes its parcels, says how their calls end, and knocks again
// when the driver is gone.
//
// A state machine without clock, threads or sockets, as the dispatcher is. It decides nothing: it
// runs what it is told, and whatever it does carries its number and the driver's epoch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "runtime/net/incoming.h"
#include "runtime/net/session.h"

namespace rt::net {

/// Why an agent has nothing left to do.
enum class Dismissal : std::uint8_t {
  over,      ///< it was told bye, or left
  unwanted,  ///< another build or arithmetic
  orphaned,  ///< there has been no driver for too long
};

class Agent {
 public:
  using Blob = std::shared_ptr<const base::Bytes>;

  /// Who runs the calls.
  class Work {
   public:
    virtual ~Work() = default;
    /// Begins the calls of a parcel; Agent::ended() is to follow for each. Its number here is the
    /// agent's own and never dealt twice: the driver may send a parcel again, and another driver
    /// deals the same numbers.
    virtual void run(Parcel parcel) = 0;
    virtual void cancel(ParcelId parcel) = 0;
    /// The driver will not ask for these any more.
    virtual void drop(const std::vector<base::Key>& keys) = 0;
    /// The content of a value that is here; null when it is not.
    virtual Blob content(base::Key key) = 0;
    /// What need() asked for; null: the driver cannot have it either.
    virtual void arrived(base::Key key, const Blob& content) = 0;
    /// What is here, with sizes in bytes.
    virtual std::vector<std::pair<base::Key, std::uint64_t>> holds() = 0;
    /// Connects to the driver: opened() or closed() is to follow.
    virtual void dial() = 0;
    /// There is a driver from now on.
    virtual void welcomed(std::uint32_t number, std::uint64_t epoch) = 0;
    virtual void dismissed(Dismissal why, const std::string& text) = 0;
    /// Uses a worker that has nothing to do for what other agents have described (Wish), until
    /// take_back(); Agent::loan_over() where that ends before.
    virtual void lend(std::uint64_t loan, base::Bytes terms) { (void)loan, (void)terms; }
    virtual void take_back(std::uint64_t loan) { (void)loan; }
    /// What it counts, since it was welcomed.
    virtual std::vector<double> totals() { return {}; }
  };

  struct Options {
    Hello hello;             ///< `nonce` and `epoch` are filled in
    std::uint64_t seed = 0;  ///< of the nonces; no other agent may have it
    base::Duration patience = std::chrono::seconds(10);  ///< silence after which it knocks again
    base::Duration gap = std::chrono::seconds(3);  ///< what is missing for so long does not come
    base::Duration beat = std::chrono::seconds(1);
    base::Duration knock = std::chrono::milliseconds(500);
    base::Duration orphan = std::chrono::seconds(120);  ///< without a driver, before it ends
    base::Duration leave = std::chrono::seconds(15);  ///< for the calls that it has, once it leaves
  };

  Agent(Options options, Post& post, Work& work, base::Moment now);

  void opened(LinkId link, base::Moment now);
  void received(LinkId link, std::span<const std::byte> frame, base::Moment now);
  void closed(LinkId link, base::Moment now);
  /// To be called about twice a second.
  void tick(base::Moment now);

  /// How a call of a parcel ended; `result` is the key of its last output.
  void ended(ParcelId parcel, std::uint32_t call, base::Key result, Outcome outcome);
  /// What the body of a call says; nothing where the parcel counts no more.
  void tell(ParcelId parcel, std::uint32_t call, base::Key result, std::string text);
  /// Asks the driver for a content: Work::arrived will follow, unless the driver is lost.
  void need(base::Key key);
  /// A content is here no more.
  void lost(base::Key key);
  /// What this agent could use from now on.
  void wish(std::vector<Wish> wishes);
  /// What a worker was lent for has ended.
  void loan_over(std::uint64_t loan);
  /// Takes no more parcels; says bye once those that it has are answered.
  void leave(base::Moment now);

  /// 0: without a driver.
  [[nodiscard]] std::uint32_t number() const noexcept { return session_ ? session_->agent() : 0; }
  [[nodiscard]] std::uint64_t epoch() const noexcept { return seen_; }

 private:
  struct Open {
    ParcelId theirs = 0;            ///< the driver's number
    std::set<std::uint32_t> calls;  ///< that have not ended
  };

  void greet(const Frame& frame, base::Moment now);
  void handle(Message message);
  void begin(Parcel parcel);
  void cancel(ParcelId theirs);
  void cancel_all();
  void take_workers_back();
  void lose_driver(base::Moment now);
  void hang_up(base::Moment now);
  void end(Dismissal why, const std::string& text);
  void go_if_empty();

  Options options_;
  Post& post_;
  Work& work_;
  std::uint64_t knocks_ = 0;
  std::uint64_t nonce_ = 0;
  std::uint64_t seen_ = 0;  ///< the highest epoch
  std::optional<LinkId> link_;
  bool dialling_ = false;
  std::optional<Session> session_;
  Incoming incoming_;
  std::map<ParcelId, Open> open_;         ///< parcels that have not ended, by the number here
  std::map<ParcelId, ParcelId> numbers_;  ///< the driver's numbers of those, and the numbers here
  ParcelId last_ = 0;
  std::vector<Wish> wishes_;       ///< as the driver knows them
  std::set<std::uint64_t> loans_;  ///< of workers here
  base::Moment alone_since_;
  base::Moment knocked_;
  std::optional<base::Moment> leaving_;  ///< since when
  bool over_ = false;
};

}  // namespace rt::net
