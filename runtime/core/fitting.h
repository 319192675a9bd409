// Whether the arguments of a call fit a task's parameters, and words for those that do not.
#pragma once

#include <source_location>
#include <type_traits>

#include "runtime/core/parameters.h"

namespace rt::inline v0::detail {

/// Fails to compile, in words, if an argument of type A does not fit the parameter P.
template <class P, class A>
constexpr void explain_argument() {
  using Plain = std::remove_cvref_t<A>;
  constexpr bool fits = std::is_convertible_v<A, Argument<P>>;
  constexpr bool is_value = std::is_base_of_v<ValueBase, Plain>;
  if constexpr (fits) {
    return;
  } else if constexpr (kIsFile<P>) {
    static_assert(fits, "rt: the body takes a file here: pass its path");
  } else if constexpr (kIsConstant<P> && is_value) {
    static_assert(fits,
                  "rt: the body takes this argument as a constant, and the call passes an "
                  "rt::Value: let the body take rt::in<T>");
  } else if constexpr (kIsConstant<P>) {
    static_assert(fits, "rt: this constant does not convert to the type of the body's parameter");
  } else if constexpr (!is_value) {
    static_assert(fits,
                  "rt: the body takes this argument as in, inout, out, commutative or redux: pass "
                  "an rt::Value, such as rt::value(x)");
  } else if constexpr (!std::is_same_v<Plain, Value<typename Traits<P>::Content>>) {
    static_assert(fits, "rt: this rt::Value holds another type than the body's parameter");
  } else {
    static_assert(fits,
                  "rt: the body writes this argument: pass a variable of type rt::Value, neither "
                  "a temporary nor a const one");
  }
}

/// The parameters of a task's bodies.
template <class... P>
struct ParameterList {
  /// True if a call may pass arguments of the types A.
  template <class... A>
  static constexpr bool fit() {
    return std::is_invocable_v<void (*)(Argument<P>...), A...> ||
           std::is_invocable_v<void (*)(Argument<P>..., std::source_location), A...>;
  }

  /// Fails to compile, in words, if they do not fit.
  template <class... A>
  static constexpr void explain() {
    static_assert(sizeof...(A) == sizeof...(P),
                  "rt: a call passes one argument for each parameter of the body, its Context not "
                  "counted");
    if constexpr (sizeof...(A) == sizeof...(P)) (explain_argument<P, A>(), ...);
  }
};

}  // namespace rt::inline v0::detail
