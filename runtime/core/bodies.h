// The typed parts of a task: its call as a node, and its bodies as functions of a node.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/core/node.h"
#include "runtime/core/parameters.h"

namespace rt::inline v0::detail {

/// A call of a task R(P...): the node with room for its inputs, outputs and constants.
template <class R, class... P>
struct Call final : Node {
  static constexpr int kInputs = (0 + ... + Traits<P>::inputs);
  static constexpr int kOutputs = (1 + ... + Traits<P>::outputs);
  static constexpr int kAccesses = 2 * kInputs + kOutputs;
  static_assert(kAccesses < Input::kNoAccess, "rt: too many parameters");

  Input input_slots[kInputs > 0 ? kInputs : 1];
  Output output_slots[kOutputs];
  Access access_slots[kAccesses];
  union {
    std::tuple<Kept<P>...>
        constants;  // destroyed when the node ends, long before its memory is given back
  };

  template <class... A>
  explicit Call(const TaskInfo* task, A&&... kept)
      : Node(task), constants(std::forward<A>(kept)...) {
    inputs = input_slots;
    outputs = output_slots;
    accesses = access_slots;
    size = sizeof(Call);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {}

  static const Call& of(const Node& node) noexcept { return static_cast<const Call&>(node); }
};

template <class S>
struct SignatureTable;

template <class R, class... P>
struct SignatureTable<R(P...)> {
  using C = Call<R, P...>;

  static void encode_constants(const Node& node, Writer& to) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (encode_one<P>(std::get<I>(C::of(node).constants), to), ...);
    }
    (std::index_sequence_for<P...>{});
  }
  static std::string describe_constant(const Node& node, unsigned parameter) {
    std::string text;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((I == parameter ? void(text = describe(std::get<I>(C::of(node).constants))) : void()), ...);
    }
    (std::index_sequence_for<P...>{});
    return text;
  }
  static void destroy_constants(Node& node) noexcept {
    std::destroy_at(&static_cast<C&>(node).constants);
  }
  static Node* revive(const TaskInfo& info, Reader& from) {
    std::tuple<Kept<P>...> kept;
    [&]<std::size_t... I>([[maybe_unused]] std::index_sequence<I...>) {
      (decode_one<P>(std::get<I>(kept), from), ...);
    }
    (std::index_sequence_for<P...>{});
    from.expect_end();
    void* memory = pool_take(sizeof(C));
    return std::apply(
        [&](auto&... constant) { return new (memory) C(&info, std::move(constant)...); }, kept);
  }
  static Signature make() {
    (Traits<P>::check(), ...);
    Signature s;
    s.parameters = parameters_of<P...>();
    s.inputs = C::kInputs;
    s.outputs = C::kOutputs;
    s.result = type_ops<R>();
    s.with_commutative = (kIsCommutative<P> || ...);
    s.with_files = (kIsFile<P> || ...);
    s.encode_constants = encode_constants;
    s.describe_constant = describe_constant;
    s.destroy_constants = destroy_constants;
    if constexpr ((std::is_default_constructible_v<Kept<P>> && ...)) s.revive = revive;
    return s;
  }

 private:
  template <class Q>
  static void encode_one(const Kept<Q>& constant, Writer& to) {
    if constexpr (kIsConstant<Q>) to.put(constant);
  }
  template <class Q>
  static void decode_one([[maybe_unused]] Kept<Q>& constant, [[maybe_unused]] Reader& from) {
    if constexpr (kIsConstant<Q>) from.get(constant);
  }
};

template <class S>
const Signature& signature_of() {
  static const Signature signature = SignatureTable<S>::make();
  return signature;
}

template <class P>
decltype(auto) body_argument(const Kept<P>& constant, void* slot) {
  if constexpr (kIsConstant<P>) {
    return constant;
  } else if constexpr (kIsFile<P>) {
    return P(static_cast<const std::filesystem::path*>(slot));
  } else {
    return P(static_cast<typename P::type*>(slot));
  }
}

template <class F, class R, class... P>
struct BodyRunner {
  static void run(Node& node, Context& context, void* const* slots, BoxRef& result) {
    if constexpr (std::is_void_v<R>) {
      call(node, context, slots, std::index_sequence_for<P...>{});
    } else {
      result = make_box(call(node, context, slots, std::index_sequence_for<P...>{}));
    }
  }

 private:
  template <std::size_t... I>
  static R call(Node& node, [[maybe_unused]] Context& context, [[maybe_unused]] void* const* slots,
                std::index_sequence<I...>) {
    [[maybe_unused]] const auto& constants = Call<R, P...>::of(node).constants;
    if constexpr (!(kMayBeTaken<P> && ...)) {
      std::abort();  // it does not compile
    } else if constexpr (BodyOf<F>::with_context) {
      return F{}(context, body_argument<P>(std::get<I>(constants), slots[I])...);
    } else {
      return F{}(body_argument<P>(std::get<I>(constants), slots[I])...);
    }
  }
};

/// The result type of a body: what it returns, by value.
template <class F, class R, class... P>
constexpr Body body_of() {
  static_assert(std::is_same_v<R, std::decay_t<R>>,
                "rt: a task's body must return a value, not a reference");
  if constexpr (!std::is_void_v<R>) require_value<R>();
  return &BodyRunner<F, R, P...>::run;
}

/// What is said of a call by its arguments: F takes what the task's bodies take.
template <class Answer, class F, class R, class... P>
struct Looking {
  static Answer run(const Node& node, void* const* slots) {
    return call(node, slots, std::index_sequence_for<P...>{});
  }

 private:
  template <std::size_t... I>
  static Answer call(const Node& node, [[maybe_unused]] void* const* slots,
                     std::index_sequence<I...>) {
    [[maybe_unused]] const auto& constants = Call<R, P...>::of(node).constants;
    return F{}(body_argument<P>(std::get<I>(constants), slots[I])...);
  }
};

/// Functions of a call's constants.
template <class... P>
struct Constants {
  template <class R, class N>
  static auto apply(const Node& node) {
    static_assert(std::is_empty_v<N> && std::is_default_constructible_v<N>,
                  "rt: cost, needs and priority are functions that capture nothing");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::apply(
          N{}, std::tuple_cat(only_constant<P>(std::get<I>(Call<R, P...>::of(node).constants))...));
    }
    (std::index_sequence_for<P...>{});
  }

 private:
  template <class Q>
  static auto only_constant(const Kept<Q>& constant) {
    if constexpr (kIsConstant<Q>) {
      return std::tuple<const Kept<Q>&>(constant);
    } else {
      return std::tuple<>();
    }
  }
};

/// What `ignore` must be given: the contents of the out parameters, then the result.
template <class R, class... P>
struct Defaults {
  template <class... D>
  static void set(std::vector<BoxRef>& boxes, std::tuple<D...> given) {
    using Wanted =
        decltype(std::tuple_cat(std::declval<OfParameter<P>>()..., std::declval<OfResult>()));
    static_assert(
        std::tuple_size_v<Wanted> == sizeof...(D),
        "rt: ignore needs a default for each out argument, in order, then for the result");
    if constexpr (std::tuple_size_v<Wanted> == sizeof...(D)) {
      constexpr bool fits = std::is_constructible_v<Wanted, D&&...> || sizeof...(D) == 0;
      static_assert(fits, "rt: a default of ignore is not a value of its out argument or result");
      if constexpr (fits) fill<Wanted>(boxes, given, std::index_sequence_for<D...>{});
    }
  }

 private:
  template <class Q, bool = Traits<Q>::mode == Mode::out>
  struct Of {
    using type = std::tuple<>;
  };
  template <class Q>
  struct Of<Q, true> {
    using type = std::tuple<typename Traits<Q>::Content>;
  };
  template <class Q>
  using OfParameter = typename Of<Q>::type;
  using OfResult = std::conditional_t<std::is_void_v<R>, std::tuple<>,
                                      std::tuple<std::conditional_t<std::is_void_v<R>, int, R>>>;

  template <class Wanted, class Given, std::size_t... I>
  static void fill(std::vector<BoxRef>& boxes, Given& given, std::index_sequence<I...>) {
    (boxes.push_back(make_box(std::tuple_element_t<I, Wanted>(std::move(std::get<I>(given))))),
     ...);
  }
};

}  // namespace rt::inline v0::detail
