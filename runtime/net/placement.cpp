// Placement: which ready job goes to which agent, and what is sent along.
#include <algorithm>
#include <tuple>

#include "runtime/net/dispatcher.h"

namespace rt::net {

/// How many slots an agent's parcels may take: those that it has, and as many more as keep them
/// busy while an answer and the next parcel are on their way.
void Dispatcher::set_window(Agent& agent) const noexcept {
  constexpr double kShortest = 20e-6;
  const double on_the_way =
      agent.view.slots * agent.gap.value_or(0) / std::max(agent.body, kShortest);
  const double extra = std::clamp<double>(on_the_way, options_.extra, options_.most_extra);
  agent.window = agent.view.slots + static_cast<std::size_t>(extra);
}

bool Dispatcher::suits(const Agent& agent, const Job& job) noexcept {
  return agent.view.state == AgentState::working && agent.view.slots >= job.slots &&
         (!job.for_gpu || agent.view.gpus != 0);
}

bool Dispatcher::has_room(const Agent& agent, const Job& job) noexcept {
  if (job.urgent) return true;
  return agent.load + job.slots <= (job.long_running ? agent.view.slots : agent.window);
}

std::vector<std::uint64_t> Dispatcher::starving() const {
  std::vector<std::uint64_t> calls;
  if (slots() == 0) return calls;
  for (const Rank& rank : ready_) {
    const Job& job = jobs_.at(rank.id);
    if (std::any_of(agents_.begin(), agents_.end(),
                    [&](const auto& each) { return suits(each.second, job); }))
      continue;
    for (std::size_t i = 0; i < job.calls.size(); ++i) {
      if (job.ended[i] == 0 && job.calls[i].id != 0) calls.push_back(job.calls[i].id);
    }
  }
  return calls;
}

double Dispatcher::bandwidth(const Agent& agent) const noexcept {
  return agent.bandwidth.value_or(options_.bandwidth);
}

/// Seconds until what a job reads is with that agent. What others made comes through the driver, so
/// over the links of both. What it makes from files of the driver serves all later jobs, too: an
/// agent that has been idle for as long as these take to come had better fetch them.
double Dispatcher::moving(const Reads& reads, const Agent& to) const {
  const std::uint32_t number = to.view.number;
  const auto made = static_cast<double>(reads.made.all - reads.made.with(number));
  const auto sources = static_cast<double>(reads.sources.all - reads.sources.with(number));
  const double fetching = sources / bandwidth(to) - base::seconds(to.idle);
  double seconds = std::max(fetching, 0.0) + made / bandwidth(to);
  if (made > 0) {
    double quickest = 1;
    for (const auto& [other, bytes] : reads.made.at) {
      const auto at = agents_.find(other);
      if (at != agents_.end() && other != number)
        quickest = std::max(quickest, bandwidth(at->second));
    }
    seconds += made / quickest;
  }
  return seconds;
}

/// Seconds until a slot comes free for a job with so many slots of others ahead of it.
double Dispatcher::until_free(const Agent& full, std::size_t ahead) noexcept {
  const std::size_t slots = full.view.slots;
  const std::size_t to_end = ahead >= slots ? ahead - slots + 1 : 0;
  return full.body * static_cast<double>(to_end) / static_cast<double>(slots);
}

Dispatcher::Reads Dispatcher::reads_of(const Job& job) {
  Reads reads;
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    if (job.ended[i] != 0) continue;
    for (const base::Key& key : job.calls[i].call.inputs) {
      const Value* const value = places_.find(key);
      if (value == nullptr || value->here || value->at.empty()) continue;
      const bool source = value->recipe && value->recipe->source;
      (source ? reads.sources : reads.made).add(value->size + 1, value->at);
    }
  }
  return reads;
}

/// The agent for a ready job: where it can begin first, what it reads having been moved there and
/// what is there before it having run; then the one with the fewest parcels and loans a slot. Null
/// if the job had better wait; `any_free` tells if somebody could take it.
Dispatcher::Agent* Dispatcher::choose(const Job& job, bool& any_free) {
  const Reads reads = reads_of(job);
  Agent* best = nullptr;
  std::tuple<double, double> best_rank;
  double best_moving = 0;
  Agent* full = nullptr;
  std::uint64_t full_bytes = 0;
  for (auto& [number, each] : agents_) {
    const std::uint64_t bytes = reads.with(number);
    any_free = any_free || (each.view.state == AgentState::working && each.load < each.window);
    if (!suits(each, job)) continue;
    if (!has_room(each, job)) {
      if (bytes > full_bytes && each.view.state == AgentState::working)
        std::tie(full, full_bytes) = std::tuple(&each, bytes);
      continue;
    }
    any_free = true;
    const double slots = each.view.slots;
    const double load = static_cast<double>(each.load);
    const double before =
        each.body * std::max(load + static_cast<double>(job.slots) - slots, 0.0) / slots;
    const double seconds = moving(reads, each);
    const std::tuple rank(seconds + before, (load + each.view.lent) / slots);
    if (best == nullptr || rank < best_rank)
      std::tie(best, best_rank, best_moving) = std::tuple(&each, rank, seconds);
  }
  if (best != nullptr && full != nullptr &&
      until_free(*full, full->load) + moving(reads, *full) < best_moving)
    return nullptr;
  return best;
}

/// Gives agents with idle slots what waits for one with another agent, which it was sent to when
/// they were busy, or before they came.
void Dispatcher::even_out(base::Moment now) {
  std::vector<const Agent*> full;
  for (const auto& [number, each] : agents_) {
    if (each.load > each.view.slots) full.push_back(&each);
  }
  for (auto& [number, idle] : agents_) {
    while (idle.load < idle.view.slots) {
      ParcelId found = 0;
      for (auto at = full.begin(); found == 0 && at != full.end(); ++at)
        found = last_in_queue(**at, idle, now);
      if (found == 0) break;
      ship(withdraw(found), idle, now);
    }
  }
}

/// The parcel that `full` begins last and that `idle` could begin before; 0: there is none. It has
/// been sent some time ago: sending it elsewhere costs more than a short wait.
ParcelId Dispatcher::last_in_queue(const Agent& full, const Agent& idle, base::Moment now) {
  constexpr base::Duration kSettled = std::chrono::milliseconds(200);
  if (full.load <= full.view.slots) return 0;
  const Job* last = nullptr;
  for (const ParcelId id : full.parcels) {
    const Job& job = jobs_.at(id);
    // Those that run long run: they were sent when slots were free.
    if (!job.long_running && (last == nullptr || rank(job) > rank(*last))) last = &job;
  }
  if (last == nullptr || now - last->sent < kSettled || last->left < last->calls.size()) return 0;
  if (!suits(idle, *last) || idle.load + last->slots > idle.view.slots) return 0;
  const Reads reads = reads_of(*last);
  const double waiting = until_free(full, full.load - last->slots);
  return waiting + moving(reads, full) < moving(reads, idle) ? 0 : last->id;
}

/// Takes a job from its agent, under a new number: what that one still says of it has no effect.
Dispatcher::Job& Dispatcher::withdraw(ParcelId id) {
  send(*agent(jobs_.at(id).agent), Cancel{id});
  take_back(jobs_.at(id));
  auto taken = jobs_.extract(id);
  taken.key() = taken.mapped().id = ++last_job_;
  Job& job = jobs_.insert(std::move(taken)).position->second;
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    const Submission& each = job.calls[i];
    if (each.id != 0) calls_[each.id] = {job.id, i};
    for (const base::Key& key : each.call.outputs) {
      if (!key) continue;
      std::set<ParcelId>& makers = places_.entry(key).makers;
      makers.erase(id);
      makers.insert(job.id);
    }
  }
  return job;
}

/// Sees to what was lost, to what failed and to the jobs that changed by it.
void Dispatcher::follow_up() {
  while (!lost_.empty() || !failed_.empty() || !changed_.empty()) {
    if (!failed_.empty()) {
      const auto [key, outcome] = std::move(failed_.back());
      failed_.pop_back();
      fail_readers(key, outcome);
    } else if (!lost_.empty()) {
      const base::Key key = lost_.back();
      lost_.pop_back();
      make_again(key);
    } else {
      const ParcelId id = changed_.back();
      changed_.pop_back();
      reconsider(id);
    }
  }
}

/// Every public method that changes something ends here.
void Dispatcher::assign(base::Moment now) {
  follow_up();
  send_drops();
  for (auto at = ready_.begin(); at != ready_.end();) {
    Job& job = jobs_.at(at->id);
    bool any_free = false;
    Agent* const to = choose(job, any_free);
    if (to == nullptr) {
      if (!any_free && !job.urgent) break;
      ++at;
      continue;
    }
    at = ready_.erase(at);
    ship(job, *to, now);
  }
}

/// Before any parcel goes that reads such a value: it may come a second time.
void Dispatcher::send_drops() {
  for (auto& [number, keys] : drops_) {
    if (Agent* const to = agent(number)) {
      for (std::size_t from = 0; from < keys.size(); from += 4096) {
        const std::size_t end = std::min(keys.size(), from + 4096);
        send(*to, Drop{{keys.begin() + static_cast<std::ptrdiff_t>(from),
                        keys.begin() + static_cast<std::ptrdiff_t>(end)}});
      }
    }
  }
  drops_.clear();
}

/// Takes the calls out that have ended: whoever gets the job next need not run them.
void Dispatcher::compact(Job& job) {
  std::vector<Submission> left;
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    if (job.ended[i] != 0) continue;
    if (job.calls[i].id != 0) calls_[job.calls[i].id] = {job.id, left.size()};
    left.push_back(std::move(job.calls[i]));
  }
  job.calls = std::move(left);
  job.ended.assign(job.calls.size(), 0);
}

void Dispatcher::ship(Job& job, Agent& to, base::Moment now) {
  compact(job);
  constexpr std::size_t kMostEnclosed = 128 << 10;
  Parcel parcel;
  parcel.id = job.id;
  std::set<base::Key> seen;
  std::size_t enclosed = 0;
  const auto add_files = [&](const std::vector<FileInput>& files) {
    for (const FileInput& file : files) {
      if (seen.insert(file.key).second) parcel.files.push_back(file);
    }
  };
  for (const Submission& each : job.calls) add_files(each.files);
  for (const Submission& each : job.calls) {
    for (const base::Key& key : each.call.inputs) {
      if (!seen.insert(key).second) continue;
      const Value& value = *places_.find(key);
      if (value.at.contains(to.view.number)) continue;
      if (value.recipe && value.recipe->source) {
        const auto& known = job.sources;
        if (std::find(known.begin(), known.end(), value.recipe) == known.end()) {
          job.sources.push_back(value.recipe);
          for (const FileInput& file : value.recipe->files) places_.use(file.key);
          add_files(value.recipe->files);
        }
      } else if (value.here && value.size <= kSmall && enclosed + value.size <= kMostEnclosed) {
        const Blob blob = client_.content(key);
        if (!blob || blob->size() > kSmall) continue;
        enclosed += blob->size();
        parcel.contents.push_back({key, *blob});
      }
    }
  }
  for (const auto& source : job.sources) parcel.sources.push_back(source->call);
  for (const Submission& each : job.calls) parcel.calls.push_back(each.call);
  job.agent = to.view.number;
  job.sent = now;
  job.queued = to.load + job.slots > to.view.slots;
  job.body = 0;
  to.parcels.insert(job.id);
  to.load += job.slots;
  take_back_workers(to);
  send(to, Run{std::move(parcel)});
}

}  // namespace rt::net
