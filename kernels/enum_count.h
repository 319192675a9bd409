#pragma once
// The size of an enum, so that a table with one entry for each enumerator can be checked by the
// compiler.

#include <cstddef>
#include <string_view>

namespace kern {

namespace detail {

/// True if an enumerator has this value. Compilers print any other value as a cast: "(E)7".
template <auto value>
consteval bool is_enumerator() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind(']'));
  while (text.back() >= '0' && text.back() <= '9') text.remove_suffix(1);
  return text.back() != ')';
}

}  // namespace detail

/// The number of enumerators of an enum that counts from 0 without gaps.
template <class Enum, std::size_t from = 0>
consteval std::size_t enum_count() {
  if constexpr (detail::is_enumerator<static_cast<Enum>(from)>())
    return enum_count<Enum, from + 1>();
  else
    return from;
}

}  // namespace kern
