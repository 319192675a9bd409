// Agents: how they come, what they say, and how they are retired.
#include "runtime/net/dispatcher.h"

#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "base/text.h"

namespace rt::net {

namespace {

/// A driver that was frozen, or whose machine was, hears of its agents only after it has ticked.
constexpr base::Duration kLongestTick = std::chrono::seconds(1);

bool is_modest(const Wishes& wishes) {
  return wishes.all.size() <= kMostWishes && std::ranges::all_of(wishes.all, [](const Wish& wish) {
           return wish.terms.size() <= kMostWishBytes;
         });
}

void add_totals(std::vector<double>& all, const std::vector<double>& more) {
  all.resize(std::max(all.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) all[i] += more[i];
}

}  // namespace

Dispatcher::Dispatcher(Options options, Post& post, Client& client)
    : options_(std::move(options)),
      post_(post),
      client_(client),
      places_(*this),
      relayed_(options_.relayed, options_.most_relayed) {}

Dispatcher::~Dispatcher() = default;

Dispatcher::Agent* Dispatcher::agent(std::uint32_t number) noexcept {
  const auto at = agents_.find(number);
  return at != agents_.end() ? &at->second : nullptr;
}

void Dispatcher::send(Agent& agent, Message message) {
  agent.session.send(post_, std::move(message));
}

void Dispatcher::opened(LinkId link, base::Moment) { links_.try_emplace(link, 0); }

void Dispatcher::received(LinkId link, std::span<const std::byte> bytes, base::Moment now) {
  Frame frame;
  try {
    frame = decode_frame(bytes);
  } catch (const base::Error& error) {
    return hang_up(link, base::cat("it sent ", error.what()), now);
  }
  if (frame.agent == 0) {
    if (const auto* hello = std::get_if<Hello>(&frame.message)) return greet(link, *hello, now);
    return hang_up(link, "it sent what nobody says before a Hello", now);
  }
  const auto at = links_.find(link);
  Agent* const from = at != links_.end() ? agent(at->second) : nullptr;
  if (from == nullptr) {
    ++stale_;
    if (frame.epoch == options_.epoch && agent(frame.agent) == nullptr)
      refuse(link, 0, Unwanted::retired, "this agent was thought lost");
    return hang_up(link, {}, now);
  }
  const std::uint32_t number = at->second;
  from->view.bytes_in += bytes.size();
  std::vector<Message> next = from->session.take(std::move(frame), now);
  from->view.heard = from->session.heard();
  for (Message& message : next) {
    if (agent(number) != nullptr) handle(number, std::move(message), now);
  }
  assign(now);
}

/// Ends a link whose other side says what no agent says there.
void Dispatcher::hang_up(LinkId link, std::string why, base::Moment now) {
  const auto at = links_.find(link);
  if (at != links_.end() && at->second != 0)
    return retire(at->second, AgentState::lost, std::move(why), now);
  links_.erase(link);
  post_.close(link);
}

namespace {

std::vector<std::string> parts_of(const std::string& arithmetic) {
  std::vector<std::string> parts;
  constexpr std::string_view kBetween = "; ";
  for (std::size_t from = 0; from <= arithmetic.size();) {
    const std::size_t end = std::min(arithmetic.find(kBetween, from), arithmetic.size());
    parts.push_back(arithmetic.substr(from, end - from));
    from = end + kBetween.size();
  }
  return parts;
}

/// What two arithmetics, lists with "; " between their parts, do not have in common.
std::string difference(const std::string& there, const std::string& here) {
  const std::vector<std::string> theirs = parts_of(there), ours = parts_of(here);
  const auto only_in = [](const std::vector<std::string>& one,
                          const std::vector<std::string>& other) {
    std::string found;
    for (const std::string& part : one) {
      if (std::find(other.begin(), other.end(), part) == other.end())
        found += (found.empty() ? "" : "; ") + part;
    }
    return found.empty() ? std::string("nothing") : found;
  };
  return base::cat(only_in(theirs, ours), " there, ", only_in(ours, theirs), " here");
}

}  // namespace

void Dispatcher::greet(LinkId link, const Hello& hello, base::Moment now) {
  const auto before = links_.find(link);
  const std::uint32_t earlier = before != links_.end() ? before->second : 0;
  if (!nonces_.insert(hello.nonce).second) {  // a repeated one
    if (earlier == 0) hang_up(link, {}, now);
    return;
  }
  if (hello.epoch > options_.epoch) {
    fence(hello.epoch);
    return hang_up(link, "it has seen a later driver", now);
  }
  if (hello.build != options_.build) {
    turn_away(link, hello, "it is another build of the program: install the same one on all nodes");
    return hang_up(link, "it began anew as another build", now);
  }
  if (hello.arithmetic != options_.arithmetic) {
    turn_away(link, hello,
              base::cat("its arithmetic differs: ",
                        difference(base::printable(hello.arithmetic), options_.arithmetic),
                        options_.cure ? options_.cure(hello.arithmetic) : ""));
    return hang_up(link, "it began anew with another arithmetic", now);
  }
  const std::uint32_t number = ++last_agent_;
  links_[link] = number;
  if (earlier != 0) retire(earlier, AgentState::lost, "it began anew", now);
  post_.send(link, Channel::control,
             encode_frame({0, 0, 0, Welcome{hello.nonce, number, options_.epoch}}));
  Agent& added =
      agents_
          .try_emplace(number, Agent{.session = Session(link, options_.epoch, number, now),
                                     .view = {},
                                     .parcels = {},
                                     .holds = {},
                                     .incoming = {}})
          .first->second;
  added.view = {.number = number,
                .node = base::printable(hello.node),
                .slots = std::clamp<std::uint32_t>(hello.slots, 1, 4096),
                .gpus = hello.gpus,
                .came = now,
                .heard = now,
                .went = {},
                .why = {}};
  set_window(added);
  client_.changed(added.view, 0);
  assign(now);
}

void Dispatcher::refuse(LinkId link, std::uint64_t nonce, Unwanted why, std::string text) {
  post_.send(link, Channel::control, encode_frame({0, 0, 0, Refused{nonce, why, std::move(text)}}));
}

void Dispatcher::turn_away(LinkId link, const Hello& hello, const std::string& why) {
  client_.refused(base::printable(hello.node), why);
  refuse(link, hello.nonce, Unwanted::other_program, why);
}

void Dispatcher::closed(LinkId link, const std::string& why, base::Moment now) {
  const auto at = links_.find(link);
  if (at == links_.end()) return;
  const std::uint32_t number = at->second;
  links_.erase(at);
  if (number != 0) retire(number, AgentState::lost, why, now);
}

void Dispatcher::tick(base::Moment now) {
  const base::Duration step = std::min(now - std::exchange(ticked_, now), kLongestTick);
  std::vector<std::uint32_t> silent;
  for (auto& [number, agent] : agents_) {
    const base::Moment heard = agent.session.heard();
    agent.silence = heard == agent.heard ? agent.silence + step : std::min(now - heard, step);
    agent.heard = heard;
    agent.idle = agent.load < agent.view.slots ? agent.idle + step : base::Duration{};
    if (agent.silence > options_.patience || agent.session.broken(now, options_.patience)) {
      silent.push_back(number);
    } else {
      agent.session.beat(post_, now, options_.beat);
    }
  }
  for (const std::uint32_t number : silent)
    retire(number, AgentState::lost, "nothing was heard of it", now);
  assign(now);
  even_out(now);
  lend(now);
}

void Dispatcher::handle(std::uint32_t number, Message message, base::Moment now) {
  Agent& from = *agent(number);
  std::visit(
      [&](auto& said) {
        using M = std::remove_reference_t<decltype(said)>;
        if constexpr (std::is_same_v<M, Answer>) {
          answer(from, std::move(said), now);
        } else if constexpr (std::is_same_v<M, Told>) {
          tell(from, said);
        } else if constexpr (std::is_same_v<M, Holds>) {
          holds(from, said);
        } else if constexpr (std::is_same_v<M, Ask>) {
          const Blob blob = content_here(said.key);
          if (blob) {
            note_ask(from, said, blob->size(), now);
            return serve(from, said.key, said.from, *blob);
          }
          wishes_[said.key].by_agents[number] = said.from;
          resolve(said.key);
        } else if constexpr (std::is_same_v<M, Give>) {
          take_piece(from, std::move(said), now);
        } else if constexpr (std::is_same_v<M, Gone>) {
          from.incoming.end(said.key);
          from.flows.erase(said.key);
          no_longer_at(from, said.key);
        } else if constexpr (std::is_same_v<M, Leaving>) {
          from.view.state = AgentState::leaving;
          end_loans_of(number);
          client_.changed(from.view, 0);
        } else if constexpr (std::is_same_v<M, Wishes>) {
          if (is_modest(said)) return take_wishes(from, std::move(said));
          retire(number, AgentState::lost, "it wished for more than an agent may", now);
        } else if constexpr (std::is_same_v<M, LoanOver>) {
          loan_is_over(from, said.loan, now);
        } else if constexpr (std::is_same_v<M, Bye>) {
          retire(number, AgentState::left, {}, now);
        } else if constexpr (std::is_same_v<M, Fenced>) {
          fence(said.epoch);
        } else if constexpr (!std::is_same_v<M, Beat>) {
          retire(number, AgentState::lost, "it sent what only a driver says", now);
        }
      },
      message);
}

void Dispatcher::answer(Agent& from, Answer said, base::Moment now) {
  if (said.parcel == 0 || said.parcel > last_job_)
    return retire(from.view.number, AgentState::lost, "it answered what nobody asked", now);
  const auto at = jobs_.find(said.parcel);
  if (at == jobs_.end() || at->second.agent != from.view.number) return;  // cancelled meanwhile
  Job& job = at->second;
  const bool source = said.call < job.sources.size();
  const std::size_t index = said.call - (source ? 0 : job.sources.size());
  const bool known = source || index < job.calls.size();
  const Call* call = nullptr;
  if (known) call = source ? &job.sources[said.call]->call : &job.calls[index].call;
  if (!known || call->outputs.empty() || call->outputs.back() != said.result ||
      (said.outcome.end == End::made && said.outcome.outputs.size() != call->outputs.size())) {
    return retire(from.view.number, AgentState::lost, "it answered what it was not asked", now);
  }
  if (said.outcome.end == End::made) {
    for (std::size_t i = 0; i < call->outputs.size(); ++i) {
      if (call->outputs[i]) made_at(from, call->outputs[i], said.outcome.outputs[i].size);
    }
  }
  if (source) return;
  if (job.ended[index] != 0) {
    for (const base::Key& key : call->outputs) places_.tidy(key);
    return;
  }
  ++from.view.done;
  from.view.busy += said.outcome.seconds;
  constexpr std::size_t kMostTotals = 16;
  if (said.totals.size() <= kMostTotals) from.view.totals = std::move(said.totals);
  job.body += said.outcome.seconds;
  if (job.left == 1 && said.outcome.end == End::made) {
    const double took = base::seconds(now - job.sent);
    from.body += 0.2 * (job.body - from.body);
    // Of parcels that neither waited for a slot nor for a data set.
    const double gap = std::max(took - job.body, 0.0);
    if (!job.queued && job.sources.empty()) from.gap = std::min(1.05 * from.gap.value_or(gap), gap);
    set_window(from);
  }
  end_call(job, index, std::move(said.outcome));
}

void Dispatcher::tell(const Agent& from, const Told& said) {
  const auto at = jobs_.find(said.parcel);
  if (at == jobs_.end() || at->second.agent != from.view.number) return;  // cancelled meanwhile
  const Job& job = at->second;
  const std::size_t index = said.call - job.sources.size();
  if (index >= job.calls.size() || job.ended[index] != 0 || job.calls[index].id == 0 ||
      job.calls[index].call.outputs.back() != said.result)
    return;
  client_.told(job.calls[index].id, said.text);
}

void Dispatcher::retire(std::uint32_t number, AgentState how, std::string why, base::Moment now) {
  const auto at = agents_.find(number);
  if (at == agents_.end()) return;
  Agent gone = std::move(at->second);
  agents_.erase(at);
  drops_.erase(number);
  end_loans_of(number);
  gone.view.state = how;
  gone.view.why = std::move(why);
  gone.view.went = now;
  stale_ += gone.session.stale();
  const auto link = links_.find(gone.session.link());
  if (link != links_.end() && link->second == number) {
    links_.erase(link);
    post_.close(gone.session.link());
  }
  std::vector<base::Key> doubtful(gone.holds.begin(), gone.holds.end());
  for (const base::Key& key : doubtful) no_longer_at(gone, key);
  for (auto& [key, wish] : wishes_) wish.by_agents.erase(number);
  relayed_.left(number);
  for (auto& [key, at] : kept_) at.erase(number);
  std::erase_if(kept_, [](const auto& one) { return one.second.empty(); });
  std::size_t again = 0;
  std::vector<ParcelId> lost;
  for (const ParcelId id : gone.parcels) {
    Job& job = jobs_.at(id);
    take_back(job);
    again += job.left;
    if (how == AgentState::lost) job.victims.insert(gone.view.node);
    if (job.victims.size() >= options_.most_losses) {
      again -= job.left;
      lost.push_back(id);
    } else {
      prepare(job);
    }
  }
  gone.view.parcels = gone.view.lent = 0;
  add_totals(totals_, gone.view.totals);
  gone_.push_back(gone.view);
  if (gone_.size() > 64) gone_.erase(gone_.begin());
  client_.changed(gone.view, again);
  for (const ParcelId id : lost) fail_job(jobs_.at(id), End::lost);
  // What was on its way from it has to come from somebody else.
  std::vector<base::Key> wanted;
  for (const auto& [key, wish] : wishes_) wanted.push_back(key);
  for (const base::Key& key : wanted) resolve(key);
  assign(now);
}

void Dispatcher::dismiss(std::uint32_t number, base::Moment now) {
  Agent* const away = agent(number);
  if (away == nullptr) return;
  send(*away, Bye{});
  retire(number, AgentState::left, {}, now);
}

void Dispatcher::fence(std::uint64_t epoch) {
  fenced_ = true;
  client_.fenced(epoch);
}

void Dispatcher::stop() {
  if (fenced_) return;
  for (auto& [number, agent] : agents_) {
    if (!client_.waits(agent.view)) send(agent, Bye{});
  }
}

std::vector<AgentView> Dispatcher::agents() const {
  std::vector<AgentView> all = gone_;
  for (const auto& [number, agent] : agents_) {
    all.push_back(agent.view);
    all.back().parcels = agent.parcels.size();
  }
  std::sort(all.begin(), all.end(),
            [](const AgentView& a, const AgentView& b) { return a.number < b.number; });
  return all;
}

std::vector<double> Dispatcher::totals() const {
  std::vector<double> all = totals_;
  for (const auto& [number, agent] : agents_) add_totals(all, agent.view.totals);
  return all;
}

std::uint64_t Dispatcher::stale() const noexcept {
  std::uint64_t all = stale_;
  for (const auto& [number, agent] : agents_) all += agent.session.stale();
  return all;
}

std::uint32_t Dispatcher::slots() const noexcept {
  std::uint32_t all = 0;
  for (const auto& [number, agent] : agents_) {
    if (agent.view.state == AgentState::working) all += agent.view.slots;
  }
  return all;
}

}  // namespace rt::net
