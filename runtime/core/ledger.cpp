#include "runtime/core/ledger.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/enum_names.h"
#include "base/text.h"

namespace rt {

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

void Ledger::add(Device kind, unsigned lane, base::Moment at) {
  lanes_.push_back({.kind = kind, .trace_lane = lane, .since = at});
  last_ = at;
}

IdleCause Ledger::cause_for(std::size_t kind) const noexcept {
  if (kinds_[kind].ready > 0) return IdleCause::late;
  if (kinds_[kind].held > 0) return IdleCause::needs;
  if (kinds_[1 - kind].ready > 0) return IdleCause::other_kind;
  if (window_ == 0) return IdleCause::end;
  if (under_way_ == 0) return IdleCause::driver;
  return window_ && under_way_ >= *window_ ? IdleCause::slots : IdleCause::waits;
}

base::Moment Ledger::pass_to(base::Moment at) noexcept {
  if (at <= last_) return last_;
  const std::int64_t passed = (at - last_).count();
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    kinds_[kind].passed[static_cast<std::size_t>(cause_for(kind))] += passed;
  return last_ = at;
}

void Ledger::settle(Lane& lane, base::Moment at) {
  const Nanos& passed = kinds_[index(lane.kind)].passed;
  Nanos parts{};
  switch (lane.state()) {
    case State::busy:
      lane.busy += (at - lane.since).count();
      break;
    case State::moving:
      lane.moving += (at - lane.since).count();
      break;
    case State::idle:
      for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = passed[i] - lane.passed[i];
        lane.idle[i] += static_cast<double>(parts[i]);
      }
      break;
  }
  if (trace_ != nullptr) show(lane, at, parts);
  lane.since = at;
  lane.passed = passed;
}

/// What a worker did until `at` that was no task.
Span Ledger::span_of(const Lane& lane, base::Moment at, const Nanos& parts) {
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

void Ledger::show(const Lane& lane, base::Moment at, const Nanos& parts) const {
  constexpr base::Duration kSeen = std::chrono::microseconds(20);
  if (lane.state() == State::busy || at - lane.since < kSeen) return;
  try {
    trace_->add(span_of(lane, at, parts));
  } catch (const std::bad_alloc&) {
    return;  // a trace may lack a span
  }
}

void Ledger::set_window(int chains, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  window_ = chains;
}

void Ledger::held(Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  ++kinds_[index(kind)].held;
  ++under_way_;
}

void Ledger::admitted(Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  --kinds_[index(kind)].held;
  --under_way_;
}

void Ledger::ready(Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  pass_to(at);
  ++kinds_[index(kind)].ready;
  ++under_way_;
}

void Ledger::note_taken(Lane& lane, Device kind, base::Moment at) noexcept {
  --kinds_[index(kind)].ready;
  Kind& own = kinds_[index(lane.kind)];
  own.last_taken = at;
  own.passed_then = own.passed;
}

void Ledger::taken(unsigned worker, Device kind, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  Lane& lane = lanes_[worker];
  settle(lane, now);
  note_taken(lane, kind, now);
  ++lane.pending;
}

void Ledger::begun(unsigned worker, Device kind, base::Moment at) {
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

void Ledger::ended(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  settle(lanes_[worker], now);
  lanes_[worker].running = false;
  --under_way_;
}

void Ledger::stands_aside(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  settle(lanes_[worker], pass_to(at));
  lanes_[worker].running = true;
}

void Ledger::is_back(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  settle(lanes_[worker], pass_to(at));
  lanes_[worker].running = false;
}

void Ledger::helps(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  settle(lanes_[worker], pass_to(at));
}

void Ledger::helped(unsigned worker, base::Duration busy, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  Lane& lane = lanes_[worker];
  const std::int64_t whole = (now - lane.since).count();
  const std::int64_t worked = std::clamp<std::int64_t>(busy.count(), 0, whole);
  const Nanos& passed = kinds_[index(lane.kind)].passed;
  const double idle =
      whole > 0 ? static_cast<double>(whole - worked) / static_cast<double>(whole) : 0;
  for (std::size_t i = 0; i < lane.idle.size(); ++i)
    lane.idle[i] += idle * static_cast<double>(passed[i] - lane.passed[i]);
  lane.busy += worked;
  lane.since = now;
  lane.passed = passed;
}

Ledger::Use Ledger::use_of(unsigned worker, base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  Lane lane = lanes_[worker];
  const Kind& kind = kinds_[index(lane.kind)];
  const auto idle_to = [&](const Nanos& passed) {
    for (std::size_t i = 0; i < passed.size(); ++i)
      lane.idle[i] += static_cast<double>(passed[i] - lane.passed[i]);
  };
  const std::int64_t whole = (now - lane.since).count();
  if (lane.state() == State::busy) {
    lane.busy += whole;
  } else if (lane.state() == State::moving) {
    lane.moving += whole;
  } else if (window_ != 0) {
    idle_to(kind.passed);
  } else {  // only now it is known that no task came after the last one
    if (lane.since < kind.last_taken) idle_to(kind.passed_then);
    lane.idle[static_cast<std::size_t>(IdleCause::end)] +=
        static_cast<double>((now - std::max(lane.since, kind.last_taken)).count());
  }
  constexpr double kNano = 1e-9;
  Use use{.busy = base::seconds(base::Duration(lane.busy)),
          .moving = base::seconds(base::Duration(lane.moving))};
  for (std::size_t i = 0; i < use.idle.size(); ++i) use.idle[i] = kNano * lane.idle[i];
  return use;
}

void Ledger::close(base::Moment at) {
  const std::scoped_lock lock(mutex_);
  const base::Moment now = pass_to(at);
  for (Lane& lane : lanes_) settle(lane, now);
}

}  // namespace detail
}  // namespace rt
