// Calls that run in other processes: from the engine's nodes to the dispatcher's calls and back.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "runtime/core/away.h"
#include "runtime/core/node.h"
#include "runtime/core/pulse.h"
#include "runtime/net/dispatcher.h"
#include "runtime/nodes.h"

namespace rt::inline v0::detail {

class Engine;

/// Of a driver with agents. Pure calls travel; their results are there once an agent has made them,
/// though the content may stay with the agent until somebody here needs it. Driver thread only, but
/// where it says otherwise.
class Shipping final : private net::Dispatcher::Client, private net::Inbox {
 public:
  Shipping(Engine& engine, const NodesConfig& config);
  ~Shipping() override;

  /// Whether calls of a task can run elsewhere, as far as the task is concerned.
  [[nodiscard]] static bool may_take(const TaskInfo& info) noexcept;
  /// Whether a call can run elsewhere.
  [[nodiscard]] bool takes(const Node& node) const noexcept;
  /// Whether each agent makes that call for itself, rather than have what it makes sent. Here it
  /// runs where somebody here needs what it makes.
  [[nodiscard]] bool is_source(const Node& node) const noexcept;
  /// Whether the agents make that value for themselves, or another call that travels makes it: who
  /// reads it elsewhere need not wait for it here.
  [[nodiscard]] bool made_elsewhere(const Version& version) const noexcept;
  /// Whether the call that makes it travels and has not been taken.
  [[nodiscard]] bool waits(const Version& version) const noexcept;
  /// To be called before a source runs here, after which nobody could tell how it is made.
  void remember_source(const Node& node);
  /// Takes a call that takes() and has begun. It joins those that flush() submits together, once
  /// what it reads is there or on its way.
  void take(Node& node);
  /// The same of one that became_ready(). Any thread.
  void take_later(Node& node);
  /// Submits the calls that were taken since the last time: parts that do not hang together, and
  /// what comes after a value that several read, are parcels of their own.
  void flush();
  /// Ends the calls whose groups were cancelled.
  void drop_cancelled();

  /// Ends all calls that agents were to run, and the waiting for contents, as lost: nobody will
  /// come to run them.
  void give_up();

  /// Lets the waiter fire once the content of a ready version is here; false: it is already.
  [[nodiscard]] bool await_content(Version& version, Waiter& waiter);
  /// Brings a content that an agent keeps into the store of this process. False: none keeps it.
  bool bring(base::Key key);
  [[nodiscard]] std::size_t bringing() const noexcept { return brought_.size(); }
  /// A box is gone whose content was elsewhere. Any thread.
  void release(base::Key key) noexcept;

  /// Looks after what other threads have left.
  void handle_releases();
  [[nodiscard]] std::size_t unfinished() const noexcept { return running_.size() + wants_; }
  [[nodiscard]] net::Dispatcher& dispatcher() noexcept { return *dispatcher_; }
  [[nodiscard]] std::string address() const { return transport_->address(); }

 private:
  struct Arrived;

  [[nodiscard]] net::Submission submission_of(const Node& node, std::uint64_t id) const;
  void offer_inputs(const Node& node);
  void make(Node& node, net::Outcome& outcome);
  [[nodiscard]] BoxRef box_of(const TypeOps& ops, base::Key key, net::Output& output);
  [[nodiscard]] Failure* failure_of(const Node& node, const net::Outcome& outcome) const;
  void tick(base::Moment now);
  void see_to_starving();

  // What the dispatcher says:
  void ended(std::uint64_t call, net::Outcome outcome) override;
  void told(std::uint64_t call, const std::string& text) override;
  void arrived(base::Key key, const net::Dispatcher::Blob& content) override;
  net::Dispatcher::Blob content(base::Key key) override;
  void unneeded(base::Key key) override;
  void changed(const net::AgentView& agent, std::size_t again) override;
  void refused(const std::string& node, const std::string& why) override;
  bool waits(const net::AgentView& agent) override;
  void fenced(std::uint64_t epoch) override;
  // What the transport says, on its threads:
  void opened(net::LinkId link) override;
  void received(net::LinkId link, base::Bytes frame) override;
  void closed(net::LinkId link, std::string why) override;

  Engine& engine_;
  const NodesConfig& config_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Node*> running_;                 ///< submitted, by the dispatcher's names
  std::vector<std::pair<std::uint64_t, Node*>> taken_;     ///< since the last flush
  std::map<base::Key, Held> here_;                         ///< what agents may ask for
  std::map<base::Key, std::string> files_;                 ///< likewise
  std::map<base::Key, Held> sources_;                      ///< what the agents make for themselves
  std::map<base::Key, std::vector<BoxRef>> wanted_;        ///< boxes that wait for their content
  std::pair<base::Key, net::Dispatcher::Blob> file_read_;  ///< the file that was given last
  base::Moment file_read_at_;
  std::set<base::Key> brought_;  ///< on their way to the store
  std::size_t wants_ = 0;
  bool starved_ = false;  ///< as last seen
  std::mutex mutex_;      ///< guards what follows
  std::vector<base::Key> released_;
  std::atomic<bool> over_{false};
  std::unique_ptr<net::Transport> transport_;
  std::unique_ptr<net::Dispatcher> dispatcher_;
  std::optional<Pulse> pulse_;
};

}  // namespace rt::inline v0::detail
