// Contents: who keeps which, who asks for which, and how they pass through here.
#include <utility>

#include "runtime/net/dispatcher.h"

namespace rt::net {

void Dispatcher::made_at(Agent& agent, base::Key key, std::uint64_t size) {
  Value* const value = places_.find(key);
  if (value == nullptr) {
    drops_[agent.view.number].push_back(key);
    return;
  }
  value->size = size;
  value->at.insert(agent.view.number);
  agent.holds.insert(key);
  remade(key);
  resolve(key);
}

void Dispatcher::no_longer_at(Agent& agent, base::Key key) {
  agent.holds.erase(key);
  if (const auto at = kept_.find(key); at != kept_.end()) {
    at->second.erase(agent.view.number);
    if (at->second.empty()) kept_.erase(at);
  }
  if (Value* const value = places_.find(key)) value->at.erase(agent.view.number);
  resolve(key);
}

/// What nobody here knows of may be what a later call makes.
void Dispatcher::holds(Agent& agent, const Holds& said) {
  for (const auto& [key, size] : said.contents) {
    if (places_.find(key) != nullptr) {
      made_at(agent, key, size);
    } else {
      kept_[key][agent.view.number] = size;
    }
  }
  for (auto& [id, job] : jobs_) answer_from_kept(job);
}

/// Finds what the calls of a new job make among what agents have kept from before.
void Dispatcher::recall(const Job& job) {
  for (const Submission& each : job.calls) {
    for (const base::Key& key : each.call.outputs) {
      const auto at = kept_.find(key);
      if (at == kept_.end()) continue;
      for (const auto& [number, size] : std::exchange(at->second, {})) {
        if (Agent* const holder = agent(number)) made_at(*holder, key, size);
      }
      kept_.erase(at);
    }
  }
}

/// Ends the calls of a job that nobody runs yet whose outputs agents have kept from before, and
/// those that only such calls would have read from: should anybody ask for what they make, it is
/// made then.
void Dispatcher::answer_from_kept(Job& job) {
  std::set<base::Key> spared;
  std::set<base::Key> read;
  for (std::size_t i = job.calls.size(); i-- > 0 && job.agent == 0;) {
    if (job.ended[i] != 0) continue;
    const Call call = job.calls[i].call;
    Outcome outcome;
    bool kept = true;
    bool needless = false;
    bool needed = false;
    for (const base::Key& key : call.outputs) {
      const Value* const value = key ? places_.find(key) : nullptr;
      kept = kept && (!key || (value != nullptr && !value->at.empty()));
      needless = needless || spared.contains(key);
      needed = needed || read.contains(key) || (value != nullptr && !value->readers.empty());
      Output& output = outcome.outputs.emplace_back();
      if (value != nullptr) output.size = value->size;
    }
    const bool ends = kept || (needless && !needed);
    (ends ? spared : read).insert(call.inputs.begin(), call.inputs.end());
    if (ends) end_call(job, i, std::move(outcome));
  }
}

bool Dispatcher::kept(base::Key key) const {
  const Value* const value = places_.find(key);
  return value != nullptr && !value->at.empty();
}

void Dispatcher::want(base::Key key, base::Moment now) {
  wishes_[key].by_client = true;
  resolve(key);
  assign(now);
}

/// Does the next thing towards a content that somebody asked for.
void Dispatcher::resolve(base::Key key) {
  const auto wish = wishes_.find(key);
  if (wish == wishes_.end()) return;
  if (!wish->second.by_client && wish->second.by_agents.empty()) {
    wishes_.erase(wish);
    return;
  }
  if (const Blob blob = content_here(key)) return satisfy(key, blob);
  Value* const value = places_.find(key);
  if (value == nullptr) return deny(key);
  for (const std::uint32_t number : value->at) {
    Agent& holder = *agent(number);
    if (holder.incoming.under_way(key)) return;
  }
  if (!value->at.empty()) {
    Agent& holder = *agent(*value->at.begin());
    send(holder, *holder.incoming.begin(key));
  } else if (value->makers.empty()) {
    lost_.push_back(key);
  } else {
    hurry(value->makers);
  }
}

Dispatcher::Blob Dispatcher::content_here(base::Key key) {
  if (Blob blob = relayed_.find(key)) return blob;
  const Value* const value = places_.find(key);
  return value == nullptr || value->here ? client_.content(key) : nullptr;
}

void Dispatcher::serve(Agent& agent, base::Key key, std::uint64_t from,
                       const base::Bytes& content) {
  for (Give& piece : pieces_of({key, from}, content)) {
    agent.view.bytes_out += piece.bytes.size();
    send(agent, std::move(piece));
  }
  relayed_.gave(key, agent.view.number, from + kAsked < content.size());
}

/// Learns how quickly contents come and go, from one that took a while.
void Dispatcher::measure(Agent& agent, const Flow& flow, std::uint64_t bytes, base::Moment now) {
  constexpr std::uint64_t kTelling = 4 << 20;
  const double seconds = base::seconds(now - flow.began);
  if (bytes < flow.first + kTelling || seconds <= 0) return;
  const double rate = static_cast<double>(bytes - flow.first) / seconds;
  agent.bandwidth = agent.bandwidth ? *agent.bandwidth + 0.3 * (rate - *agent.bandwidth) : rate;
}

/// Who asks for more has had what came before.
void Dispatcher::note_ask(Agent& agent, const Ask& ask, std::uint64_t size, base::Moment now) {
  if (ask.from + kAsked < size) {
    agent.asked.try_emplace(ask.key, Flow{now, ask.from});
  } else if (const auto flow = agent.asked.extract(ask.key)) {
    measure(agent, flow.mapped(), ask.from, now);
  }
}

void Dispatcher::take_piece(Agent& agent, Give piece, base::Moment now) {
  const base::Key key = piece.key;
  if (agent.incoming.under_way(key)) agent.flows.try_emplace(key, Flow{now, piece.bytes.size()});
  Incoming::Step step = agent.incoming.take(std::move(piece));
  if (step.ask) send(agent, *step.ask);
  if (step.wrong) resolve(key);
  if (!step.whole) return;
  if (const auto flow = agent.flows.extract(key))
    measure(agent, flow.mapped(), step.whole->size(), now);
  const auto blob = std::make_shared<const base::Bytes>(std::move(*step.whole));
  relayed_.add(key, blob);
  satisfy(key, blob);
}

void Dispatcher::satisfy(base::Key key, const Blob& content) {
  const auto at = wishes_.find(key);
  if (at == wishes_.end()) return;
  const Wanted wish = std::move(at->second);
  wishes_.erase(at);
  for (const auto& [number, from] : wish.by_agents) {
    if (Agent* const to = agent(number)) serve(*to, key, from, *content);
  }
  if (wish.by_client) client_.arrived(key, content);
}

void Dispatcher::deny(base::Key key) {
  const auto at = wishes_.find(key);
  if (at == wishes_.end()) return;
  const Wanted wish = std::move(at->second);
  wishes_.erase(at);
  for (const auto& [number, from] : wish.by_agents) {
    if (Agent* const to = agent(number)) send(*to, Gone{key});
  }
  if (wish.by_client) client_.arrived(key, nullptr);
}

void Dispatcher::dropped(base::Key key, const std::set<std::uint32_t>& at) {
  for (const std::uint32_t number : at) {
    drops_[number].push_back(key);
    if (Agent* const has = agent(number)) has->holds.erase(key);
  }
}

void Dispatcher::unneeded(base::Key key) { client_.unneeded(key); }

}  // namespace rt::net
