// Jobs: parcels from their submission to the end of their calls.
#include <algorithm>
#include <utility>

#include "runtime/net/dispatcher.h"

namespace rt::net {

namespace {

Outcome outcome_of(End end, const Trouble& trouble) {
  Outcome outcome;
  outcome.end = end;
  outcome.trouble = trouble;
  return outcome;
}

}  // namespace

void Dispatcher::submit(std::vector<Submission> calls, base::Moment now) {
  if (calls.empty()) return;
  Job& job = add_job(std::move(calls), false);
  if (!kept_.empty()) {
    recall(job);
    answer_from_kept(job);
  }
  if (job.left > 0) prepare(job);
  assign(now);
}

void Dispatcher::remember(const Submission& call, bool source) {
  for (const FileInput& file : call.files) offer(file.key, 0);
  places_.learn(call.call, call.files, source);
}

void Dispatcher::offer(base::Key key, std::uint64_t size) {
  Value& value = places_.entry(key);
  value.here = true;
  value.size = std::max(value.size, size);
}

Dispatcher::Job& Dispatcher::add_job(std::vector<Submission> calls, bool again) {
  const ParcelId id = ++last_job_;
  Job& job = jobs_[id];
  job.id = id;
  job.again = again;
  job.urgent = again;
  job.left = calls.size();
  job.ended.assign(calls.size(), 0);
  job.calls = std::move(calls);
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    const Submission& each = job.calls[i];
    remember(each, false);
    for (const base::Key& key : each.call.inputs) places_.use(key);
    for (const base::Key& key : each.call.outputs) {
      if (key) places_.entry(key).makers.insert(id);
    }
    if (each.id != 0) calls_[each.id] = {id, i};
    job.slots = std::max<std::size_t>(job.slots, std::max(each.call.cpus, 1));
    job.for_gpu = job.for_gpu || each.call.device == Device::cuda;
    job.long_running = job.long_running || each.call.long_running;
    job.priority = std::max(i == 0 ? each.call.priority : job.priority, each.call.priority);
  }
  return job;
}

/// Whether an input of the job can be had by whoever runs it.
bool Dispatcher::available(const Job& job, base::Key key) {
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    const auto& outputs = job.calls[i].call.outputs;
    if (job.ended[i] == 0 && std::find(outputs.begin(), outputs.end(), key) != outputs.end())
      return true;
  }
  const Value& value = *places_.find(key);
  return value.somewhere() || (value.recipe && value.recipe->source);
}

/// Makes the job ready, or lets it wait for what it reads.
void Dispatcher::prepare(Job& job) {
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    if (job.ended[i] != 0) continue;
    for (const base::Key& key : job.calls[i].call.inputs) {
      if (available(job, key) || !job.missing.insert(key).second) continue;
      Value& value = *places_.find(key);
      value.readers.insert(job.id);
      if (value.makers.empty()) {
        lost_.push_back(key);
      } else if (job.urgent) {
        hurry(value.makers);
      }
    }
  }
  if (job.missing.empty()) {
    if (job.left > 0) ready_.insert(rank(job));
  } else if (job.left > 1) {
    split(job);
  }
}

/// Makes jobs urgent, and those that they wait for.
void Dispatcher::hurry(const std::set<ParcelId>& makers) {
  std::vector<ParcelId> slow(makers.begin(), makers.end());
  while (!slow.empty()) {
    Job& job = jobs_.at(slow.back());
    slow.pop_back();
    if (job.urgent) continue;
    const bool ready = ready_.erase(rank(job)) != 0;
    job.urgent = true;
    if (ready) ready_.insert(rank(job));
    for (const base::Key& key : job.missing) {
      const std::set<ParcelId>& next = places_.find(key)->makers;
      slow.insert(slow.end(), next.begin(), next.end());
    }
  }
}

/// Makes each call that is left a job of its own: what one of them waits for may be made from what
/// another one makes.
void Dispatcher::split(Job& job) {
  take_back(job);
  compact(job);
  std::vector<Job*> parts;
  for (Submission& each : job.calls) {
    Job& part = jobs_[++last_job_];
    part.id = last_job_;
    part.again = job.again;
    part.urgent = job.urgent;
    part.left = 1;
    part.ended.assign(1, 0);
    part.priority = each.call.priority;
    part.victims = job.victims;
    for (const base::Key& key : each.call.outputs) {
      if (!key) continue;
      std::set<ParcelId>& makers = places_.entry(key).makers;
      makers.erase(job.id);
      makers.insert(part.id);
    }
    if (each.id != 0) calls_[each.id] = {part.id, 0};
    part.calls.push_back(std::move(each));
    parts.push_back(&part);
  }
  jobs_.erase(job.id);
  for (Job* part : parts) prepare(*part);
}

/// Runs the call once more that makes a lost value.
void Dispatcher::make_again(base::Key key) {
  Value* const value = places_.find(key);
  if (value == nullptr || !value->makers.empty() || value->somewhere()) return;
  if (value->recipe)
    return prepare(add_job({{0, value->recipe->call, value->recipe->files}}, true));
  failed_.emplace_back(key, outcome_of(End::lost, {}));
}

/// A value has been made: those go on who wait for it.
void Dispatcher::remade(base::Key key) {
  Value* const value = places_.find(key);
  if (value == nullptr) return;
  const std::set<ParcelId> readers = std::exchange(value->readers, {});
  for (const ParcelId id : readers) {
    Job& job = jobs_.at(id);
    job.missing.erase(key);
    if (job.missing.empty() && job.left > 0) ready_.insert(rank(job));
  }
}

/// Nobody runs the job, and it waits for nothing, any more.
void Dispatcher::take_back(Job& job) {
  if (Agent* const at = agent(job.agent); at != nullptr && at->parcels.erase(job.id) != 0)
    at->load -= job.slots;
  job.agent = 0;
  for (const auto& source : std::exchange(job.sources, {})) {
    for (const FileInput& file : source->files) places_.release(file.key);
  }
  ready_.erase(rank(job));
  for (const base::Key& key : job.missing) {
    Value* const value = places_.find(key);
    if (value == nullptr) continue;
    value->readers.erase(job.id);
    places_.tidy(key);
  }
  job.missing.clear();
}

/// A call is over for the job; what it would have made has one maker less.
void Dispatcher::leave_call(Job& job, std::size_t index) {
  const Submission& each = job.calls[index];
  job.ended[index] = 1;
  if (--job.left == 0 || job.agent == 0) changed_.push_back(job.id);
  calls_.erase(each.id);
  for (const base::Key& key : each.call.outputs) {
    if (Value* value = key ? places_.find(key) : nullptr) value->makers.erase(job.id);
  }
  for (const base::Key& key : each.call.inputs) places_.release(key);
}

void Dispatcher::end_call(Job& job, std::size_t index, Outcome outcome) {
  const Submission each = job.calls[index];
  if (outcome.end != End::made) {
    // A value that was made once has no failure of its own that its readers could end with.
    const End end = job.again && outcome.end == End::lost ? End::lost : End::cancelled;
    for (const base::Key& key : each.call.outputs) {
      if (key) failed_.emplace_back(key, outcome_of(end, outcome.trouble));
    }
  }
  for (const base::Key& key : each.call.outputs) {
    if (key) places_.use(key);
  }
  leave_call(job, index);
  if (each.id != 0) client_.ended(each.id, std::move(outcome));
  for (const base::Key& key : each.call.outputs) {
    if (key) places_.release(key);
  }
}

/// Ends the calls that would have read what a failed call did not make.
void Dispatcher::fail_readers(base::Key key, const Outcome& outcome) {
  Value* const value = places_.find(key);
  if (value != nullptr && (value->somewhere() || !value->makers.empty())) return;
  deny(key);
  if (value == nullptr) return;
  for (auto& [id, job] : jobs_) {
    for (std::size_t i = 0; i < job.calls.size(); ++i) {
      const auto& inputs = job.calls[i].call.inputs;
      if (job.ended[i] != 0 || std::find(inputs.begin(), inputs.end(), key) == inputs.end())
        continue;
      job.unasked = true;
      end_call(job, i, outcome);
    }
  }
}

void Dispatcher::fail_job(Job& job, End end) {
  take_back(job);
  for (std::size_t i = 0; i < job.calls.size(); ++i) {
    if (job.ended[i] == 0) end_call(job, i, outcome_of(end, {}));
  }
}

/// Leaves the calls that nobody waits for, but for those that later calls of the job read from:
/// made by another job, they would wait for this one, and it for them.
void Dispatcher::leave_unwanted(Job& job) {
  std::set<base::Key> read;
  for (std::size_t i = job.calls.size(); i-- > 0;) {
    if (job.ended[i] != 0) continue;
    const Submission each = job.calls[i];
    const bool needed = std::any_of(each.call.outputs.begin(), each.call.outputs.end(),
                                    [&](const base::Key& key) { return read.contains(key); });
    if (each.id != 0 || needed) {
      read.insert(each.call.inputs.begin(), each.call.inputs.end());
      continue;
    }
    job.unasked = true;
    leave_call(job, i);
    for (const base::Key& key : each.call.outputs) {
      const Value* const value = key ? places_.find(key) : nullptr;
      if (value == nullptr) continue;
      if (!value->readers.empty()) lost_.push_back(key);
      places_.tidy(key);
    }
  }
}

void Dispatcher::cancel(const std::vector<std::uint64_t>& calls, base::Moment now) {
  for (const std::uint64_t call : calls) {
    const auto at = calls_.find(call);
    if (at == calls_.end()) continue;
    const auto [id, index] = at->second;
    calls_.erase(at);
    Job& job = jobs_.at(id);
    job.calls[index].id = 0;
    leave_unwanted(job);
  }
  assign(now);
}

/// Takes out a job whose calls have all ended; one that nobody has yet waits for what its other
/// calls read.
void Dispatcher::reconsider(ParcelId id) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) return;
  Job& job = at->second;
  if (job.left > 0) {
    if (job.agent != 0) return;
    take_back(job);
    return prepare(job);
  }
  Agent* const has = agent(job.agent);
  if (has != nullptr && job.unasked) send(*has, Cancel{id});
  take_back(job);
  jobs_.erase(at);
}

}  // namespace rt::net
