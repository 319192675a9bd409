// The codec's rules, one for each kind of type, and the reader and writer that follow them. See
// runtime/codec.h.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "runtime/codec/reflect.h"

namespace rt::inline v0 {

class Writer;
class Reader;

namespace detail {

/// Fixed-width numbers. long double and wchar_t are left out: their width is the platform's.
template <class T>
concept Number = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double> &&
                  !std::is_same_v<T, wchar_t>) ||
                 std::is_enum_v<T>;

/// Accepts any list of members: used to ask whether a class has `fields`.
struct FieldsProbe {
  template <class... M>
  void operator()(M&...) {}
};

template <class T>
concept HasFields = std::is_class_v<T> && std::is_default_constructible_v<T> &&
    requires(T& t, FieldsProbe& probe) {
  t.fields(probe);
};

template <class T>
struct StdKind : std::false_type {};
template <class C, class R, class A>
struct StdKind<std::basic_string<C, R, A>> : std::bool_constant<sizeof(C) == 1> {};

template <class T>
constexpr bool encodable();

template <class T, class A>
struct StdKind<std::vector<T, A>> : std::bool_constant<encodable<T>()> {};
template <class T, std::size_t N>
struct StdKind<std::array<T, N>> : std::bool_constant<encodable<T>()> {};
template <class T, class U>
struct StdKind<std::pair<T, U>> : std::bool_constant<encodable<T>() && encodable<U>()> {};
template <class... T>
struct StdKind<std::tuple<T...>> : std::bool_constant<(encodable<T>() && ...)> {};
template <class T>
struct StdKind<std::optional<T>> : std::bool_constant<encodable<T>()> {};
template <class... T>
struct StdKind<std::variant<T...>>
    : std::bool_constant<(encodable<T>() && ...) && sizeof...(T) <= 256> {};
template <class K, class V, class L, class A>
struct StdKind<std::map<K, V, L, A>> : std::bool_constant<encodable<K>() && encodable<V>()> {};
template <class K, class L, class A>
struct StdKind<std::set<K, L, A>> : std::bool_constant<encodable<K>()> {};

template <class T>
concept IsStd = StdKind<T>::value;

/// Members of aggregates are asked in turn; members listed by `fields` are checked when they are
/// written or read.
template <class T>
constexpr bool encodable() {
  if constexpr (std::is_const_v<T> || std::is_volatile_v<T> || std::is_reference_v<T> ||
                std::is_pointer_v<T> || std::is_array_v<T>) {
    return false;
  } else if constexpr (Number<T> || IsStd<T> || HasFields<T>) {
    return true;
  } else if constexpr (PlainAggregate<T>) {
    return decltype(with_members(std::declval<T&>(), []<class... M>(M&...) {
      return std::bool_constant<(encodable<M>() && ...)>{};
    }))::value;
  } else {
    return false;
  }
}

template <class T>
constexpr void require_encodable() {
  static_assert(encodable<T>(),
                "rt: this type cannot be hashed, stored or sent: give it `template <class A> void "
                "fields(A& a) { a(x, y); }` "
                "listing its members, or make it a plain struct of at most 16 such members "
                "(numbers, enums, strings, "
                "vector, array, pair, tuple, optional, variant, map, set or such structs; no "
                "pointers, references, "
                "C arrays, base classes or unordered containers) with a default constructor");
}

}  // namespace detail

/// Appends canonical bytes. What `fields` gets when a value is written.
class Writer {
 public:
  template <class T>
  void put(const T& value);

  /// Called by a class's `fields`: writes the listed members.
  template <class... M>
  void operator()(const M&... members) {
    (detail::require_encodable<M>(), ...);
    (put(members), ...);
  }

  void put_raw(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), first, first + size);
  }
  void put_count(std::size_t n) { put(static_cast<std::uint64_t>(n)); }

  [[nodiscard]] const base::Bytes& bytes() const& { return out_; }
  [[nodiscard]] base::Bytes bytes() && { return std::move(out_); }
  void clear() { out_.clear(); }

 private:
  base::Bytes out_;
};

/// Reads canonical bytes, which outlive it. What `fields` gets when a value is read. Every get...
/// and expect_end() throws base::Error (data) at the first byte that is not canonical; the value is
/// then unspecified. Not thread-safe.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value);

  /// Called by a class's `fields`: reads the listed members.
  template <class... M>
  void operator()(M&... members) {
    (detail::require_encodable<M>(), ...);
    (get(members), ...);
  }

  void get_raw(void* data, std::size_t size);
  /// A count of elements that take at least `least` bytes each; more than the bytes left could hold
  /// is malformed.
  [[nodiscard]] std::size_t get_count(std::size_t least = 1);
  /// A byte below `limit`; otherwise fails: `what` was expected.
  [[nodiscard]] std::uint8_t get_byte(unsigned limit, const char* what);
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  void expect_end() const;
  [[noreturn]] void fail(const char* what) const;

 private:
  /// Classes with `fields` may hold themselves through a vector; hostile bytes must not exhaust the
  /// stack.
  static constexpr unsigned kMaxDepth = 256;

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace rt::inline v0

#include "runtime/codec/walk.h"
