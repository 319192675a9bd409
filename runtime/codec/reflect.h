// How many members a plain aggregate has, and all of them as references: what the codec needs to
// walk a struct.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace rt::inline v0::detail {

/// Stands for "a value of any type" in an unevaluated aggregate initialisation.
struct Anything {
  template <class T>
  operator T() const noexcept;
};

/// Stands for "a value of a proper base class of T".
template <class T>
struct AnyBase {
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>) operator B() const noexcept;
};

inline constexpr std::size_t kMaxMembers = 16;

template <class T, std::size_t... I>
constexpr bool initialisable(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}

/// Number of initialisers an aggregate takes: its number of members unless it holds a C array.
/// kMaxMembers + 1 means "more".
template <class T, std::size_t N = kMaxMembers + 1>
constexpr std::size_t member_count() {
  if constexpr (N == 0 || initialisable<T>(std::make_index_sequence<N>{})) {
    return N;
  } else {
    return member_count<T, N - 1>();
  }
}

template <class T, std::size_t... Before, std::size_t... After>
constexpr bool takes_empty_braces(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires {
    T{(static_cast<void>(Before), Anything{})..., {}, (static_cast<void>(After), Anything{})...};
  };
}

/// Whether each initialiser stands for one whole member that can be made from {}. False for a
/// struct with a C array, whose members cannot be counted, or with a member that has no default.
template <class T>
constexpr bool members_are_whole() {
  constexpr std::size_t n = member_count<T>();
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (takes_empty_braces<T>(std::make_index_sequence<I>{},
                                  std::make_index_sequence<n - 1 - I>{}) &&
            ...);
  }
  (std::make_index_sequence<n>{});
}

template <class T>
concept HasBase = requires {
  T{AnyBase<T>{}};
};

/// A struct whose members the codec can find by itself.
template <class T>
concept PlainAggregate = std::is_class_v<T> && std::is_aggregate_v<T> &&
                         std::is_default_constructible_v<T> && !HasBase<T> &&
                         (member_count<T>() <= kMaxMembers) && members_are_whole<T>();

/// Calls f with references to all members of an aggregate, in order.
template <class T, class F>
constexpr decltype(auto) with_members(T& t, F&& f) {
  constexpr std::size_t n = member_count<std::remove_const_t<T>>();
  // clang-format off
  if constexpr (n == 0) { return f(); }
  else if constexpr (n == 1) { auto& [a] = t; return f(a); }
  else if constexpr (n == 2) { auto& [a, b] = t; return f(a, b); }
  else if constexpr (n == 3) { auto& [a, b, c] = t; return f(a, b, c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = t; return f(a, b, c, d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = t; return f(a, b, c, d, e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, g] = t; return f(a, b, c, d, e, g); }
  else if constexpr (n == 7) { auto& [a, b, c, d, e, g, h] = t; return f(a, b, c, d, e, g, h); }
  else if constexpr (n == 8) { auto& [a, b, c, d, e, g, h, i] = t;
    return f(a, b, c, d, e, g, h, i); }
  else if constexpr (n == 9) { auto& [a, b, c, d, e, g, h, i, j] = t;
    return f(a, b, c, d, e, g, h, i, j); }
  else if constexpr (n == 10) { auto& [a, b, c, d, e, g, h, i, j, k] = t;
    return f(a, b, c, d, e, g, h, i, j, k); }
  else if constexpr (n == 11) { auto& [a, b, c, d, e, g, h, i, j, k, l] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l); }
  else if constexpr (n == 12) { auto& [a, b, c, d, e, g, h, i, j, k, l, m] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m); }
  else if constexpr (n == 13) { auto& [a, b, c, d, e, g, h, i, j, k, l, m, o] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o); }
  else if constexpr (n == 14) { auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o, p); }
  else if constexpr (n == 15) { auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p, q] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o, p, q); }
  else { auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r); }
  // clang-format on
}

}  // namespace rt::inline v0::detail
