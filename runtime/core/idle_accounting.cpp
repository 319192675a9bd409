#include "runtime/core/idle_accounting.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/enum_names.h"
#include "base/text.h"

namespace rt::inline v0 {

const char* idle_cause_name(IdleCause cause) noexcept {
  static constexpr base::EnumNames<IdleCause> kNames{{{IdleCause::late, "late"},
                                                      {IdleCause::needs, "needs"},
                                                      {IdleCause::other_kind, "other kind"},
                                                      {IdleCause::end, "end"},
                                                      {IdleCause::driver, "driver"},
                                                      {IdleCause::slots, "slots"},
                                                      {IdleCause::waits, "waits"}}};
  static_assert(kNames.kCount == kIdleCauses);
  return kNames[cause].data();
}

namespace detail {

void IdleAccounting::add(Device kind, unsigned lane, base::Moment at) {
  lanes_.push_back({.kind = kind, .trace_lane = lane, .since = at});
  use_.add_worker(at);
  last_ = at;
}

IdleCause IdleAccounting::cause_for(std::size_t kind) const noexcept {
  if (kinds_[kind].ready > 0) return IdleCause::late;
  if (kinds_[kind].held > 0) return IdleCause::needs;
  if (kinds_[1 - kind].ready > 0) return IdleCause::other_kind;
  if (window_ == 0) return IdleCause::end;
  if (under_way_ == 0) return IdleCause::driver;
  return window_ && under_way_ >= *window_ ? IdleCause::slots : IdleCause::waits;
}

void IdleAccounting::advance(base::Moment at) noexcept {
  const std::int64_t passed = (at - last_).count();
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    kinds_[kind].passed[static_cast<std::size_t>(cause_for(kind))] += passed;
  last_ = at;
}

base::Moment IdleAccounting::pass_to(base::Moment at) noexcept {
  if (at <= last_) return last_;
  while (at > use_.until()) {
    advance(use_.until());
    use_.pass({kinds_[0].passed, kinds_[1].passed});
  }
  advance(at);
  return last_;
}

/// Adds what a worker did since its state began, to whichever buckets that belongs to.
void IdleAccounting::add_to(UseBuckets& use, const Lane& lane, base::Moment until,
                            const CauseNanos& passed) const {
  const auto nanos = static_cast<double>((until - lane.since).count());
  switch (lane.state()) {
    case State::busy:
      return use.add(number(lane), lane.since, until, &WorkerTimes::busy, nanos);
    case State::moving:
      return use.add(number(lane), lane.since, until, &WorkerTimes::moving, nanos);
    case State::idle:
      return use.add_passed(number(lane), index(lane.kind), lane.since, lane.passed, until, passed);
  }
}

void IdleAccounting::settle(Lane& lane, base::Moment at) {
  const CauseNanos& passed = kinds_[index(lane.kind)].passed;
  const auto nanos = static_cast<double>((at - lane.since).count());
  WorkerTimes* const bucket = use_.current(number(lane), lane.since);
  CauseNanos parts{};
  switch (lane.state()) {
    case State::busy:
      lane.nanos.busy += nanos;
      if (bucket != nullptr) bucket->busy += nanos;
      break;
    case State::moving:
      lane.nanos.moving += nanos;
      if (bucket != nullptr) bucket->moving += nanos;
      break;
    case State::idle:
      for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = passed[i] - lane.passed[i];
        lane.nanos.idle[i] += static_cast<double>(parts[i]);
        if (bucket != nullptr) bucket->idle[i] += static_cast<double>(parts[i]);
      }
      break;
  }
  if (bucket == nullptr) add_to(use_, lane, at, passed);
  if (trace_ != nullptr) show(lane, at, parts);
  lane.since = at;
  lane.passed = passed;
}

/// What a worker did until `at` that was no task.
Span IdleAccounting::span_of(const Lane& lane, base::Moment at, const CauseNanos& parts) {
  Span span{.lane = lane.trace_lane,
            .kind = SpanKind::transfer,
            .start = lane.since,
            .end = at,
            .name = "transfer",
            .group = {},
            .details = {}};
  if (lane.state() == State::idle) {
    span.kind = SpanKind::waiting;
    const auto most = std::ranges::max_element(parts) - parts.begin();
    span.name = base::cat("idle: ", idle_cause_name(static_cast<IdleCause>(most)));
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i] > 0)
        span.details.emplace_back(idle_cause_name(static_cast<IdleCause>(i)),
                                  base::format_seconds(base::seconds(base::Duration(parts[i]))));
  }
  return span;
}

void IdleAccounting::show(const Lane& lane, base::Moment at, const CauseNanos& parts) const {
  constexpr base::Duration kSeen = std::chrono::microseconds(20);
  if (lane.state() == State::busy || at - lane.since < kSeen) return;
  try {
    trace_->add(span_of(lane, at, parts));
  } catch (const std::bad_alloc&) {
    return;  // a trace may lack a span
  }
}

void IdleAccounting::set_window(int chains, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  window_ = chains;
}

void IdleAccounting::held(Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  ++kinds_[index(kind)].held;
  ++under_way_;
}

void IdleAccounting::admitted(Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  --kinds_[index(kind)].held;
  --under_way_;
}

void IdleAccounting::ready(Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  ++kinds_[index(kind)].ready;
  ++under_way_;
}

void IdleAccounting::note_taken(Lane& lane, Device kind, base::Moment at) noexcept {
  --kinds_[index(kind)].ready;
  Kind& own = kinds_[index(lane.kind)];
  own.last_taken = at;
  own.passed_then = own.passed;
}

void IdleAccounting::taken(unsigned worker, Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  Lane& lane = lanes_[worker];
  settle(lane, now);
  note_taken(lane, kind, now);
  ++lane.pending;
}

void IdleAccounting::begun(unsigned worker, Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  Lane& lane = lanes_[worker];
  settle(lane, now);
  if (lane.pending > 0)
    --lane.pending;
  else
    note_taken(lane, kind, now);
  lane.running = true;
}

void IdleAccounting::ended(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  settle(lanes_[worker], now);
  lanes_[worker].running = false;
  --under_way_;
}

void IdleAccounting::stands_aside(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  settle(lanes_[worker], pass_to(at));
  lanes_[worker].running = true;
}

void IdleAccounting::is_back(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  settle(lanes_[worker], pass_to(at));
  lanes_[worker].running = false;
}

void IdleAccounting::helps(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  settle(lanes_[worker], pass_to(at));
}

void IdleAccounting::helped(unsigned worker, base::Duration busy, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  Lane& lane = lanes_[worker];
  const std::int64_t whole = (now - lane.since).count();
  const std::int64_t worked = std::clamp<std::int64_t>(busy.count(), 0, whole);
  const CauseNanos& passed = kinds_[index(lane.kind)].passed;
  const double idle =
      whole > 0 ? static_cast<double>(whole - worked) / static_cast<double>(whole) : 0;
  for (std::size_t i = 0; i < kIdleCauses; ++i)
    lane.nanos.idle[i] += idle * static_cast<double>(passed[i] - lane.passed[i]);
  lane.nanos.busy += static_cast<double>(worked);
  use_.add(worker, lane.since, now, &WorkerTimes::busy, static_cast<double>(worked));
  use_.add_passed(worker, index(lane.kind), lane.since, lane.passed, now, passed, idle);
  lane.since = now;
  lane.passed = passed;
}

base::Moment IdleAccounting::idle_until(const Lane& lane, base::Moment now) const {
  if (window_ != 0) return now;
  // Only now it is known that no task came after the last one.
  return std::max(lane.since, kinds_[index(lane.kind)].last_taken);
}

const CauseNanos& IdleAccounting::passed_by(const Lane& lane, base::Moment until) const {
  if (until == lane.since) return lane.passed;
  const Kind& kind = kinds_[index(lane.kind)];
  return window_ != 0 ? kind.passed : kind.passed_then;
}

WorkerTimes IdleAccounting::use_of(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  const Lane& lane = lanes_[worker];
  WorkerTimes nanos = lane.nanos;
  const auto whole = static_cast<double>((now - lane.since).count());
  if (lane.state() == State::busy) {
    nanos.busy += whole;
  } else if (lane.state() == State::moving) {
    nanos.moving += whole;
  } else {
    const base::Moment end = idle_until(lane, now);
    const CauseNanos& passed = passed_by(lane, end);
    for (std::size_t i = 0; i < kIdleCauses; ++i)
      nanos.idle[i] += static_cast<double>(passed[i] - lane.passed[i]);
    nanos.idle[static_cast<std::size_t>(IdleCause::end)] +=
        static_cast<double>((now - end).count());
  }
  constexpr double kNano = 1e-9;
  WorkerTimes use{.busy = kNano * nanos.busy, .moving = kNano * nanos.moving};
  for (std::size_t i = 0; i < kIdleCauses; ++i) use.idle[i] = kNano * nanos.idle[i];
  return use;
}

UseSeries IdleAccounting::series(base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  UseBuckets use = use_;
  for (const Lane& lane : lanes_) {
    const base::Moment end = lane.state() == State::idle ? idle_until(lane, now) : now;
    add_to(use, lane, end, passed_by(lane, end));
    use.add_idle(number(lane), end, now, IdleCause::end, static_cast<double>((now - end).count()));
  }
  return use.series(now);
}

void IdleAccounting::close(base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  for (Lane& lane : lanes_) settle(lane, now);
}

}  // namespace detail
}  // namespace rt::inline v0
