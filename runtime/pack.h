// Calls of one task that run as one, for what they share: Task::packs.
#pragma once

#include <any>
#include <exception>
#include <utility>

#include "runtime/core/bodies.h"
#include "runtime/core/pack_calls.h"

namespace rt::inline v0 {

/// The calls that a worker has taken together, as a pack's body sees them. Each is finished, failed
/// or given back once; the body returns when none is left.
template <class Signature>
class Pack;

template <class R, class... P>
class Pack<R(P...)> {
 public:
  explicit Pack(detail::PackCalls& calls) noexcept : calls_(calls) {}
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  /// Calls are numbered from 0 to size() - 1, whatever becomes of them.
  [[nodiscard]] int size() const noexcept { return calls_.size(); }

  /// f(arguments...) of a call, as a body of its own would get them.
  template <class F>
  decltype(auto) arguments(int call, F&& f) const {
    return apply(call, std::forward<F>(f), std::index_sequence_for<P...>{});
  }

  /// Context::stop_requested of a call.
  [[nodiscard]] bool stop_requested(int call) const noexcept { return calls_.stop_requested(call); }
  /// A worker has come free for this call: the body gives it back at the next boundary.
  [[nodiscard]] bool is_wanted(int call) const noexcept {
    return calls_.at(call).wanted.load(std::memory_order_relaxed);
  }
  /// Where the call goes on: what give_back() left; empty at its beginning. Calls that go on are
  /// not joined by others.
  [[nodiscard]] const std::any& progress(int call) const noexcept {
    return calls_.at(call).progress;
  }

  void finish(int call, R result) { calls_.finish(call, detail::make_box(std::move(result))); }
  void fail(int call, std::exception_ptr error) { calls_.fail(call, std::move(error)); }
  /// Where it is wanted: what it has written so far stays, and another worker goes on with it from
  /// `progress`. The call is not to be touched any more.
  void give_back(int call, std::any progress) { calls_.give_back(call, std::move(progress)); }

 private:
  template <class F, std::size_t... I>
  decltype(auto) apply(int call, F&& f, std::index_sequence<I...>) const {
    detail::PackMember& member = calls_.at(call);
    const auto& constants = detail::Call<R, P...>::of(member.node).constants;
    return std::forward<F>(f)(detail::body_argument<P>(std::get<I>(constants), member.slots[I])...);
  }

  detail::PackCalls& calls_;
};

namespace detail {

template <class F, class R, class... P>
void run_pack(PackCalls& calls, Context& context) {
  rt::Pack<R(P...)> pack(calls);
  F{}(context, pack);
}

}  // namespace detail

}  // namespace rt::inline v0
