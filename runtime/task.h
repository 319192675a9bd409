// Tasks: functions whose calls return at once and run when their inputs are there.
//
//   const auto scale = rt::task("scale", 1)
//       .cpu([](rt::inout<Vector> v, double by) { for (double& x : v->span()) x *= by; })
//       .pure();
//   rt::Value<Vector> v = rt::value(Vector(1000));
//   scale(v, 2.0);                              // v now names the new version
//   use(v.get());
//
// A body is a lambda (or function object) that captures nothing: what it needs comes in as
// arguments, so that the call can be named by a key, stored, or run elsewhere. Its parameters,
// after an optional rt::Context&, say how it uses its arguments (runtime/access.h); its result
// becomes a Value. A task object is small, immutable, and meant to be a constant.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/core/bodies.h"
#include "runtime/core/calls.h"
#include "runtime/core/fitting.h"
#include "runtime/failure.h"
#include "runtime/pack.h"
#include "runtime/resources.h"
#include "runtime/value.h"

namespace rt::inline v0 {

/// What rt::task("name").cpu(body) makes. `Signature` is the body's, without the Context.
template <class Signature>
class Task;

namespace detail {
template <class P>
struct Fold;
template <class S>
Task<S> inside(const Task<S>& task);
}  // namespace detail

/// A task with result R and the body's parameters P (without the Context). Every method that sets
/// something returns a new task; set before the first call. Copies share one definition, which is
/// never changed; it lives as long as a copy or a call of it does.
template <class R, class... P>
class Task<R(P...)> {
 public:
  /// Calls the task. Arguments: for in<T>, inout<T>, out<T>, commutative<T> and redux<T, Op> a
  /// Value<T> (an lvalue where it is written: it names the new version afterwards), for file_in and
  /// file_out a path, for all else the constant itself, which is moved into the call. What is read
  /// is what a Value names before the call, also where the same call writes it.
  ///
  /// Throws base::Error (no_device) for needs that this machine can never meet, (usage) outside a
  /// rt::Runtime, inside a task's body and on threads other than the driver's, for an empty Value
  /// where one is needed, for a Value that the call would write twice and for a file that it would
  /// write and use once more; (storage) for a file that a pure task is to read and that cannot be
  /// read now: found out later, that is the task's failure. Else returns at once, except when very
  /// many calls are in flight (Config::in_flight): then it waits for some to end. Cost: below a
  /// microsecond, plus a hash for pure tasks.
  Value<R> operator()(detail::Argument<P>... arguments,
                      std::source_location where = std::source_location::current()) const {
    using Call = detail::Call<R, P...>;
    detail::NewNode<Call> node(info_, where);
    node.template make<P...>(arguments...);
    return Value<R>(detail::submit_call(node.release()));
  }

  /// A call with other arguments: does not compile, and the compiler says what is wrong with which.
  template <class... A>
  Value<R> operator()(A&&...) const requires(!detail::ParameterList<P...>::template fit<A&&...>()) {
    detail::ParameterList<P...>::template explain<A&&...>();
    return {};
  }

  /// The body for CUDA workers: the same parameters and result; views hold device pointers. A task
  /// with this body alone needs a GPU. One with both runs on the CPU unless it needs a GPU: the
  /// scheduler never picks the kind.
  template <class F>
  [[nodiscard]] Task cuda(F) const {
    check_body<F>();
    return with([](detail::TaskInfo& t) { t.cuda = detail::body_of<F, R, P...>(); });
  }
  /// The body for CPU workers.
  template <class F>
  [[nodiscard]] Task cpu(F) const {
    check_body<F>();
    return with([](detail::TaskInfo& t) { t.cpu = detail::body_of<F, R, P...>(); });
  }

  /// What stands for the bodies on a simulated machine (Executor::simulated): the same parameters
  /// and result, made up in no time. Of a buffer only the header, the first and the last page hold
  /// what was written. A task without one runs its body for the CPU, which takes no simulated time.
  template <class F>
  [[nodiscard]] Task simulated(F) const {
    check_body<F>();
    return with([](detail::TaskInfo& t) { t.simulated = detail::body_of<F, R, P...>(); });
  }

  /// What a call does, counted: a function of what the bodies take that returns rt::Work. It looks
  /// at headers alone, never at a buffer's bytes.
  template <class F>
  [[nodiscard]] Task work(F) const {
    return with([](detail::TaskInfo& t) { t.work_of = &detail::Looking<Work, F, R, P...>::run; });
  }

  /// Calls that run as one where that is quicker than one after another. `fit` takes what the
  /// bodies take and says which calls may (rt::PackFit; like `work` it looks at headers alone);
  /// `body` is called as body(rt::Context&, rt::Pack<R(P...)>&) and leaves of each call what the
  /// body for the CPU would have left, bit for bit. A worker that begins a call takes its share of
  /// those along that only wait for a worker and have the same `with`, up to `most`; a worker that
  /// comes free gets one back at the next boundary that the body looks at. Who runs with whom is a
  /// matter of timing and never of results; failures, cancelling and keys are each call's own. For
  /// tasks whose arguments are constants, `in` and `inout`, on CPU workers where no GPU is in use;
  /// an `inout` that has to be copied first, as with retries, runs alone.
  template <class Fit, class F>
  [[nodiscard]] Task packs(Fit, F) const {
    static_assert(std::is_empty_v<Fit> && std::is_empty_v<F>,
                  "rt: the functions of a pack must capture nothing");
    return with([](detail::TaskInfo& t) {
      t.pack_fit = &detail::Looking<PackFit, Fit, R, P...>::run;
      t.pack = &detail::run_pack<F, R, P...>;
    });
  }

  /// The result depends on the arguments alone, bit for bit. So it is named by name, version,
  /// fingerprint, constants and the inputs' keys: equal calls run once, the store may answer, and
  /// nothing runs that nobody asks for.
  [[nodiscard]] Task pure() const {
    static_assert(!(detail::kIsCommutative<P> || ...),
                  "rt: a pure task can't have a commutative argument: its result would depend on "
                  "the order. Use redux");
    static_assert(
        !(detail::kIsFileOut<P> || ...),
        "rt: a pure task can't have a file_out argument: a stored answer would not make the file");
    return with([](detail::TaskInfo& t) { t.pure = true; });
  }

  /// What the task takes: rt::Resources, or a function of its constants (by const reference, in
  /// order) that returns them. The function runs at the call, on the driver thread; what it throws
  /// comes out of the call, and nothing is submitted.
  template <class N>
  [[nodiscard]] Task needs(N needs) const {
    return with([&](detail::TaskInfo& t) {
      if constexpr (std::is_convertible_v<N, Resources>) {
        t.needs = needs;
      } else {
        t.needs_of = [](const detail::Node& n) -> Resources {
          return detail::Constants<P...>::template apply<R, N>(n);
        };
      }
    });
  }
  [[nodiscard]] Task needs(Resources r) const { return needs<Resources>(r); }

  /// Expected work: a function of the constants (by const reference, in order) that returns
  /// rt::Flops. Among ready tasks of equal priority the longest goes first.
  template <class F>
  [[nodiscard]] Task cost(F) const {
    return with([](detail::TaskInfo& t) {
      t.cost_of = [](const detail::Node& n) -> double {
        return Flops(detail::Constants<P...>::template apply<R, F>(n)).value;
      };
    });
  }

  /// Larger runs sooner; a number in [-1000, 1000], or a function of the constants that returns
  /// one. 0 without.
  template <class N>
  [[nodiscard]] Task priority(N priority) const {
    return with([&](detail::TaskInfo& t) {
      if constexpr (std::is_convertible_v<N, int>) {
        t.priority = priority;
      } else {
        t.priority_of = [](const detail::Node& n) -> int {
          return detail::Constants<P...>::template apply<R, N>(n);
        };
      }
    });
  }

  /// See runtime/failure.h. The defaults of `ignore` must fit the `out` arguments in order, then
  /// the result.
  [[nodiscard]] Task on_failure(FailurePolicy policy) const {
    return with([&](detail::TaskInfo& t) {
      t.retries = policy.retries;
      t.last = policy.last;
      t.defaults.clear();
    });
  }
  template <class... D>
  [[nodiscard]] Task on_failure(IgnorePolicy<D...> policy) const {
    return with([&](detail::TaskInfo& t) {
      t.retries = policy.retries;
      t.last = OnFailure::ignore;
      t.defaults.clear();
      detail::Defaults<R, P...>::set(t.defaults, std::move(policy.defaults));
    });
  }

  /// Whether results go into the store (pure tasks).
  [[nodiscard]] Task keep(Keep keep) const {
    return with([&](detail::TaskInfo& t) { t.keep = keep; });
  }

  /// The body takes long, or waits for something outside: another process gets a call only when it
  /// can begin it at once.
  [[nodiscard]] Task long_running() const {
    return with([](detail::TaskInfo& t) { t.long_running = true; });
  }

  /// The name given to rt::task.
  [[nodiscard]] const std::string& name() const noexcept { return info_->name; }

 private:
  friend class TaskName;
  template <class Q>
  friend struct detail::Fold;
  template <class S>
  friend Task<S> detail::inside(const Task<S>& task);
  explicit Task(std::shared_ptr<const detail::TaskInfo> info) : info_(std::move(info)) {}

  template <class F>
  static constexpr void check_body() {
    static_assert(std::is_same_v<detail::SignatureOf<F>, R(P...)>,
                  "rt: all bodies of a task must have the same parameters and the same result");
  }
  /// A task with a copy of the definition in which `change` set something.
  template <class Change>
  Task with(Change change) const {
    auto changed = std::make_shared<detail::TaskInfo>(*info_);
    change(*changed);
    return Task(std::move(changed));
  }

  std::shared_ptr<const detail::TaskInfo> info_;
};

/// A task's name and version, waiting for its first body, which fixes parameters and result. Can be
/// used for several tasks.
class TaskName {
 public:
  TaskName(std::string name, int version) : name_(std::move(name)), version_(version) {}

  template <class F>
  [[nodiscard]] auto cpu(F body) const {
    return first<F>().cpu(body);
  }
  template <class F>
  [[nodiscard]] auto cuda(F body) const {
    return first<F>().cuda(body);
  }

 private:
  template <class F>
  auto first() const {
    using S = detail::SignatureOf<F>;
    auto info = std::make_shared<detail::TaskInfo>();
    info->name = name_;
    info->version = version_;
    info->signature = &detail::signature_of<S>();
    info->type = &typeid(S);
    return Task<S>(std::move(info));
  }

  std::string name_;
  int version_;
};

/// Begins the definition of a task. Name and version go into the keys of pure tasks: count the
/// version up whenever a body's results change. The name also labels the task in the graph, the
/// trace and errors.
[[nodiscard]] inline TaskName task(std::string name, int version = 1) {
  return {std::move(name), version};
}

}  // namespace rt::inline v0

#include "runtime/core/folds.h"
