// The driver's side: which agent runs which parcel, and what is done when one is lost.
//
// A state machine without clock, threads or sockets: everything that happens comes in through a
// method, with the time, and what follows leaves through Post and Client. So the same machine runs
// over the network of the tests and over gRPC.
//
// What it promises: each call that was submitted and not cancelled ends exactly once; a value that
// was made on an agent comes to whoever asks for it, and is made again from its recipe if it is
// lost; nothing that a retired agent or one of another epoch says has any effect.
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
#include "runtime/net/incoming.h"
#include "runtime/net/lending.h"
#include "runtime/net/places.h"
#include "runtime/net/relayed.h"
#include "runtime/net/session.h"

namespace rt::net {

/// A call that is to be run somewhere; `id` is the submitter's name for it, not 0.
struct Submission {
  std::uint64_t id = 0;
  Call call;
  std::vector<FileInput> files;
};

/// How an agent stands.
enum class AgentState : std::uint8_t { working, leaving, lost, left };

/// An agent, for who wants to see it.
struct AgentView {
  std::uint32_t number = 0;
  std::string node;
  AgentState state = AgentState::working;
  std::uint32_t slots = 0;
  std::uint32_t gpus = 0;
  std::uint64_t parcels = 0;  ///< that it has now
  std::uint32_t lent = 0;     ///< workers that help tasks of other agents
  std::uint64_t done = 0;     ///< calls that it has answered
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  base::Moment came, heard;
  base::Moment went;           ///< where it is lost or has left
  double busy = 0;             ///< seconds in bodies of calls that it has answered
  std::string why;             ///< it was lost
  std::vector<double> totals;  ///< of what it counts
};

class Dispatcher final : private Places::Listener {
 public:
  using Blob = std::shared_ptr<const base::Bytes>;

  /// Who submits calls. Of the dispatcher's methods it may call retain() alone from inside its own.
  class Client {
   public:
    virtual ~Client() = default;
    virtual void ended(std::uint64_t call, Outcome outcome) = 0;
    /// What a call says while it runs. One that runs again, because its agent was lost, begins
    /// anew.
    virtual void told(std::uint64_t call, const std::string& text) { (void)call, (void)text; }
    /// The content that want() asked for; null: it cannot be had, because making it failed.
    virtual void arrived(base::Key key, const Blob& content) = 0;
    /// The content of a value or file that this process has; null when it has not.
    virtual Blob content(base::Key key) = 0;
    /// Nobody will ask for that content any more.
    virtual void unneeded(base::Key key) = 0;
    /// An agent has come, goes or is gone; of one that is lost, with the calls that run again.
    virtual void changed(const AgentView& agent, std::size_t again) = 0;
    /// One that knocked cannot work for this driver, and has been told why.
    virtual void refused(const std::string& node, const std::string& why) { (void)node, (void)why; }
    /// Whether an agent waits for the next driver when this one stops, instead of ending.
    virtual bool waits(const AgentView& agent) { return (void)agent, false; }
    /// An agent has seen a driver of a higher epoch: this one is driver no longer.
    virtual void fenced(std::uint64_t epoch) = 0;
  };

  struct Options {
    std::uint64_t epoch = 1;
    std::string build;       ///< what an agent's Hello must say
    std::string arithmetic;  ///< likewise
    /// What lets one with that other arithmetic work, said after what differs. None: nothing does.
    std::function<std::string(const std::string& theirs)> cure = {};
    base::Duration patience = std::chrono::seconds(3);  ///< silence after which an agent is lost
    base::Duration beat = std::chrono::seconds(1);
    std::uint32_t extra = 1;  ///< parcels that an agent has beyond its slots, at least
    std::uint32_t most_extra = 32;
    std::size_t most_losses = 3;           ///< nodes that a parcel may take along
    double bandwidth = 100e6;              ///< bytes a second of an agent's link, until it is known
    std::uint64_t relayed = 64 << 20;      ///< bytes that are kept of what has passed through
    std::uint64_t most_relayed = 1 << 30;  ///< of that and of what passes through now
  };

  Dispatcher(Options options, Post& post, Client& client);
  ~Dispatcher() override;
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // --- the network
  void opened(LinkId link, base::Moment now);
  void received(LinkId link, std::span<const std::byte> frame, base::Moment now);
  void closed(LinkId link, const std::string& why, base::Moment now);
  /// To be called about twice a second, after everything that came before was received. Where calls
  /// were much further apart, this process did not run, and no silence in between counts.
  void tick(base::Moment now);

  // --- work

  /// Takes a parcel: each call after those that it reads from. Its other inputs are made by earlier
  /// parcels, or have been remembered, or the client has them.
  void submit(std::vector<Submission> calls, base::Moment now);
  /// Nobody wants the ends of those calls any more: they will not be told.
  void cancel(const std::vector<std::uint64_t>& calls, base::Moment now);
  /// Keeps how a call's outputs are made, without running it, as long as one of them is retained or
  /// needed; `source`: see Parcel::sources.
  void remember(const Submission& call, bool source);
  /// The client can give that content, or no longer wants to be asked for it by others' sake.
  void offer(base::Key key, std::uint64_t size);
  /// Somebody may ask for that content, until release().
  void retain(base::Key key) { places_.use(key); }
  void release(base::Key key) { places_.release(key); }
  /// Whether an agent keeps that content.
  [[nodiscard]] bool kept(base::Key key) const;
  /// Asks for a content that is retained: Client::arrived will follow.
  void want(base::Key key, base::Moment now);

  /// Sends everybody away, as at the end of a study; nobody if there is another driver now, who
  /// needs them.
  void stop();
  /// Sends one away; what it has to do runs elsewhere.
  void dismiss(std::uint32_t agent, base::Moment now);

  [[nodiscard]] std::vector<AgentView> agents() const;
  /// Calls that have not ended.
  [[nodiscard]] std::size_t unfinished() const noexcept { return calls_.size(); }
  /// Slots of all agents that take parcels.
  [[nodiscard]] std::uint32_t slots() const noexcept;
  /// Calls that wait though there are agents, because none of them can take them: they need more
  /// slots, or a GPU.
  [[nodiscard]] std::vector<std::uint64_t> starving() const;
  /// What agents have counted, those that are gone too.
  [[nodiscard]] std::vector<double> totals() const;
  /// Frames of retired agents and of other epochs: none of them had an effect.
  [[nodiscard]] std::uint64_t stale() const noexcept;

 private:
  /// A content that comes or goes.
  struct Flow {
    base::Moment began;
    std::uint64_t first = 0;  ///< bytes that were there by then
  };
  struct Agent {
    Session session;
    AgentView view;
    std::set<ParcelId> parcels;
    std::size_t load = 0;    ///< slots that they take
    std::size_t window = 0;  ///< slots that they may take
    std::set<base::Key> holds;
    Incoming incoming;
    double body = 0.05;               ///< seconds that a parcel takes in bodies
    std::optional<double> bandwidth;  ///< bytes a second of large contents from it and to it
    std::map<base::Key, Flow> flows;  ///< from it
    std::map<base::Key, Flow> asked;  ///< to it
    std::optional<double> gap;        ///< the least of the other seconds lately
    base::Moment heard{};             ///< as the last tick saw it
    base::Duration silence{};         ///< since then, without what the driver slept through
    base::Duration idle{};            ///< how long it has had a free slot
    std::vector<Wish> wishes{};
  };
  struct Lent {
    Loan loan;
    base::Moment since;
  };
  /// An agent lends nothing to another one until then.
  struct Pause {
    base::Duration length{};
    base::Moment until{};
  };
  struct Job {
    ParcelId id = 0;
    std::vector<Submission> calls;    ///< those without an id have nobody who waits for their end
    std::vector<std::uint8_t> ended;  ///< for each call: 1 once nobody waits for its end
    std::size_t left = 0;             ///< calls that have not ended
    bool unasked = false;             ///< one of them ended otherwise than by an answer
    bool again = false;               ///< it makes lost values again
    std::size_t slots = 1;            ///< that it takes
    bool for_gpu = false;
    bool long_running = false;
    bool urgent = false;  ///< a parcel that an agent has waits for it, so it goes to a full one too
    std::int32_t priority = 0;
    std::uint32_t agent = 0;                             ///< that has it; 0: none
    std::vector<std::shared_ptr<const Recipe>> sources;  ///< as sent
    std::set<base::Key> missing;                         ///< inputs that are nowhere yet
    std::set<std::string> victims;                       ///< nodes that were lost with it
    base::Moment sent;
    bool queued = false;  ///< the agent had as many as slots already
    double body = 0;      ///< seconds in bodies since then
  };
  /// Ready jobs: the urgent ones, then by priority, then by age.
  struct Rank {
    bool later;
    std::int32_t minus_priority;
    ParcelId id;
    auto operator<=>(const Rank&) const = default;
  };
  [[nodiscard]] static Rank rank(const Job& job) noexcept {
    return {!job.urgent, -job.priority, job.id};
  }
  /// Bytes that agents have.
  struct Bytes {
    std::uint64_t all = 0;                        ///< that some agent has
    std::map<std::uint32_t, std::uint64_t> at{};  ///< of that, with each

    void add(std::uint64_t bytes, const std::set<std::uint32_t>& agents) {
      all += bytes;
      for (const std::uint32_t number : agents) at[number] += bytes;
    }
    [[nodiscard]] std::uint64_t with(std::uint32_t agent) const noexcept {
      const auto found = at.empty() ? at.end() : at.find(agent);
      return found != at.end() ? found->second : 0;
    }
  };
  /// What a job reads of them.
  struct Reads {
    Bytes made{};     ///< by other jobs
    Bytes sources{};  ///< what each agent makes for itself, as data sets from their files

    [[nodiscard]] std::uint64_t with(std::uint32_t agent) const noexcept {
      return made.with(agent) + sources.with(agent);
    }
  };
  struct Wanted {
    bool by_client = false;
    std::map<std::uint32_t, std::uint64_t> by_agents;  ///< and from where on
  };

  // Agents and links (dispatcher.cpp):
  void greet(LinkId link, const Hello& hello, base::Moment now);
  void fence(std::uint64_t epoch);
  void refuse(LinkId link, std::uint64_t nonce, Unwanted why, std::string text);
  /// One that cannot compute what this driver's study asks for.
  void turn_away(LinkId link, const Hello& hello, const std::string& why);
  void hang_up(LinkId link, std::string why, base::Moment now);
  void handle(std::uint32_t number, Message message, base::Moment now);
  void answer(Agent& agent, Answer answer, base::Moment now);
  void tell(const Agent& agent, const Told& told);
  void retire(std::uint32_t number, AgentState how, std::string why, base::Moment now);
  [[nodiscard]] Agent* agent(std::uint32_t number) noexcept;
  void send(Agent& agent, Message message);
  // Jobs (jobs.cpp):
  Job& add_job(std::vector<Submission> calls, bool again);
  void prepare(Job& job);
  void split(Job& job);
  void hurry(const std::set<ParcelId>& makers);
  [[nodiscard]] bool available(const Job& job, base::Key key);
  void make_again(base::Key key);
  void remade(base::Key key);
  void take_back(Job& job);
  void end_call(Job& job, std::size_t index, Outcome outcome);
  void leave_call(Job& job, std::size_t index);
  void leave_unwanted(Job& job);
  void fail_readers(base::Key key, const Outcome& outcome);
  void fail_job(Job& job, End end);
  void reconsider(ParcelId id);
  // Placement (placement.cpp):
  void assign(base::Moment now);
  void follow_up();
  void send_drops();
  [[nodiscard]] Agent* choose(const Job& job, bool& any_free);
  [[nodiscard]] static bool suits(const Agent& agent, const Job& job) noexcept;
  [[nodiscard]] static bool has_room(const Agent& agent, const Job& job) noexcept;
  void set_window(Agent& agent) const noexcept;
  [[nodiscard]] Reads reads_of(const Job& job);
  void even_out(base::Moment now);
  [[nodiscard]] ParcelId last_in_queue(const Agent& full, const Agent& idle, base::Moment now);
  Job& withdraw(ParcelId id);
  [[nodiscard]] double bandwidth(const Agent& agent) const noexcept;
  [[nodiscard]] double moving(const Reads& reads, const Agent& to) const;
  [[nodiscard]] static double until_free(const Agent& full, std::size_t ahead) noexcept;
  void compact(Job& job);
  void ship(Job& job, Agent& agent, base::Moment now);
  // Loans (loans.cpp):
  void lend(base::Moment now);
  void begin_loan(const Loan& loan, base::Moment now);
  void end_loan(std::uint64_t id);
  Agent* forget_loan(std::uint64_t id);
  void take_back_workers(Agent& from);
  void end_loans_of(std::uint32_t number);
  void take_wishes(Agent& from, Wishes wishes);
  void loan_is_over(const Agent& from, std::uint64_t id, base::Moment now);
  // Contents (contents.cpp):
  void made_at(Agent& agent, base::Key key, std::uint64_t size);
  void no_longer_at(Agent& agent, base::Key key);
  void holds(Agent& agent, const Holds& said);
  void recall(const Job& job);
  void answer_from_kept(Job& job);
  void resolve(base::Key key);
  void serve(Agent& agent, base::Key key, std::uint64_t from, const base::Bytes& content);
  void take_piece(Agent& agent, Give piece, base::Moment now);
  static void measure(Agent& agent, const Flow& flow, std::uint64_t bytes, base::Moment now);
  static void note_ask(Agent& agent, const Ask& ask, std::uint64_t size, base::Moment now);
  void satisfy(base::Key key, const Blob& content);
  void deny(base::Key key);
  Blob content_here(base::Key key);
  void dropped(base::Key key, const std::set<std::uint32_t>& at) override;
  void unneeded(base::Key key) override;

  const Options options_;
  Post& post_;
  Client& client_;
  Places places_;
  std::map<std::uint32_t, Agent> agents_;
  std::vector<AgentView> gone_;  ///< agents, the last few
  std::vector<double> totals_;   ///< of all that are gone
  std::map<LinkId, std::uint32_t> links_;
  std::set<std::uint64_t> nonces_;
  std::uint32_t last_agent_ = 0;
  base::Moment ticked_{};
  ParcelId last_job_ = 0;
  bool fenced_ = false;
  std::map<ParcelId, Job> jobs_;
  std::map<std::uint64_t, std::pair<ParcelId, std::size_t>> calls_;
  std::set<Rank> ready_;
  std::map<base::Key, Wanted> wishes_;
  /// Contents that agents have kept from before and no call here makes yet; their sizes by agent.
  std::map<base::Key, std::map<std::uint32_t, std::uint64_t>> kept_;
  Relayed relayed_;
  std::uint64_t last_loan_ = 0;
  std::map<std::uint64_t, Lent> loans_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pause> pauses_;  ///< of lender and borrower
  // What assign() has to see to, so that nothing calls itself over chains of any length:
  std::vector<base::Key> lost_;                            ///< to be made again
  std::vector<std::pair<base::Key, Outcome>> failed_;      ///< how their readers are to end
  std::vector<ParcelId> changed_;                          ///< jobs that have fewer calls
  std::map<std::uint32_t, std::vector<base::Key>> drops_;  ///< to be told
  std::uint64_t stale_ = 0;  ///< of links without an agent, and of agents that are gone
};

}  // namespace rt::net
