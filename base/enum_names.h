#pragma once
// The words of an enum. A missing, doubled or misplaced word does not compile.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace base {

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

/// One word for each enumerator:
///   constexpr EnumNames<Color> kColors{{{Color::red, "red"}, {Color::green, "green"}}};
template <class Enum>
class EnumNames {
 public:
  struct Pair {
    Enum value;
    std::string_view name;
  };
  static constexpr std::size_t kCount = enum_count<Enum>();

  /// The pairs stand in the order of the enumerators.
  template <std::size_t count>
  consteval EnumNames(const Pair (&pairs)[count]) {
    static_assert(count == kCount, "each enumerator needs one name");
    for (std::size_t i = 0; i < count; ++i) {
      if (static_cast<std::size_t>(pairs[i].value) != i)
        throw "the names are not in the order of the enumerators";
      for (std::size_t before = 0; before < i; ++before)
        if (names_[before] == pairs[i].name) throw "two enumerators have the same name";
      names_[i] = pairs[i].name;
    }
  }

  constexpr std::string_view operator[](Enum value) const noexcept {
    return names_[static_cast<std::size_t>(value)];
  }
  /// The enumerator with this name; nothing for other words.
  [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < kCount; ++i)
      if (names_[i] == name) return static_cast<Enum>(i);
    return {};
  }
  /// All names, in the order of the enumerators.
  [[nodiscard]] constexpr const std::array<std::string_view, kCount>& all() const noexcept {
    return names_;
  }

 private:
  std::array<std::string_view, kCount> names_{};
};

}  // namespace base
