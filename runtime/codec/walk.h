// The bodies of Writer::put and Reader::get: one branch for each kind of type. Included by
// runtime/codec/kinds.h.
#pragma once

#include "runtime/codec/kinds.h"

namespace rt::inline v0::detail {

template <class T>
inline constexpr bool kIsString = false;
template <class C, class R, class A>
inline constexpr bool kIsString<std::basic_string<C, R, A>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T, class A>
inline constexpr bool kIsVector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;
template <class T>
inline constexpr bool kIsTuple = false;
template <class... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <class T, class U>
inline constexpr bool kIsTuple<std::pair<T, U>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class K, class V, class L, class A>
inline constexpr bool kIsMap<std::map<K, V, L, A>> = true;
template <class T>
inline constexpr bool kIsSet = false;
template <class K, class L, class A>
inline constexpr bool kIsSet<std::set<K, L, A>> = true;

/// Elements whose memory is their canonical form, so that a whole block is copied at once. bool is
/// not: it has two values out of 256, and reading must refuse the others.
template <class T>
inline constexpr bool kIsBlock = Number<T> && !std::is_same_v<T, bool> &&
                                 (sizeof(T) == 1 || std::endian::native == std::endian::little);

template <std::size_t N>
void to_little(std::array<std::byte, N>& bytes) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::size_t i = 0; i < N / 2; ++i) std::swap(bytes[i], bytes[N - 1 - i]);
  }
}

template <class T>
void put_number(Writer& w, T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  to_little(bytes);
  w.put_raw(bytes.data(), bytes.size());
}

template <class T>
void get_number(Reader& r, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = r.get_byte(2, "a bool") != 0;
  } else {
    std::array<std::byte, sizeof(T)> bytes;
    r.get_raw(bytes.data(), bytes.size());
    to_little(bytes);
    value = std::bit_cast<T>(bytes);
  }
}

template <class V>
void get_variant(Reader& r, V& value) {
  constexpr std::size_t n = std::variant_size_v<V>;
  const std::size_t index = r.get_byte(n, "the index of a variant");
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((I == index ? r.get(value.template emplace<I>()) : void()), ...);
  }
  (std::make_index_sequence<n>{});
}

template <class V>
void get_vector(Reader& r, V& value) {
  using E = typename V::value_type;
  value.clear();
  if constexpr (kIsBlock<E>) {
    value.resize(r.get_count(sizeof(E)));
    r.get_raw(value.data(), value.size() * sizeof(E));
  } else {
    for (std::size_t n = r.get_count(); n > 0; --n) {
      E element{};
      r.get(element);
      value.push_back(std::move(element));
    }
  }
}

/// Maps and sets: strictly ascending, or the bytes are not canonical.
template <class C>
void get_sorted(Reader& r, C& value) {
  value.clear();
  for (std::size_t n = r.get_count(); n > 0; --n) {
    auto add = [&](auto element, const auto& key) {
      if (!value.empty() && !value.key_comp()(
                                [&]() -> const auto& {
                                  if constexpr (kIsMap<C>)
                                    return std::prev(value.end())->first;
                                  else
                                    return *std::prev(value.end());
                                }(),
                                key)) {
        r.fail("ascending keys");
      }
      value.insert(value.end(), std::move(element));
    };
    typename C::key_type key{};
    r.get(key);
    if constexpr (kIsMap<C>) {
      typename C::mapped_type mapped{};
      r.get(mapped);
      add(std::pair(key, std::move(mapped)), key);
    } else {
      add(key, key);
    }
  }
}

}  // namespace rt::inline v0::detail

namespace rt::inline v0 {

template <class T>
void Writer::put(const T& value) {
  namespace d = detail;
  if constexpr (d::Number<T>) {
    d::put_number(*this, value);
  } else if constexpr (d::kIsString<T>) {
    put_count(value.size());
    put_raw(value.data(), value.size());
  } else if constexpr (d::kIsVector<T>) {
    put_count(value.size());
    if constexpr (d::kIsBlock<typename T::value_type>) {
      put_raw(value.data(), value.size() * sizeof(typename T::value_type));
    } else {
      for (const typename T::value_type& element : value) put(element);
    }
  } else if constexpr (d::kIsArray<T>) {
    for (const auto& element : value) put(element);
    if constexpr (std::tuple_size_v<T> == 0) put(std::uint8_t{0});
  } else if constexpr (d::kIsTuple<T>) {
    std::apply([this](const auto&... element) { (put(element), ...); }, value);
    if constexpr (std::tuple_size_v<T> == 0) put(std::uint8_t{0});
  } else if constexpr (d::kIsOptional<T>) {
    put(value.has_value());
    if (value) put(*value);
  } else if constexpr (d::kIsVariant<T>) {
    if (value.valueless_by_exception())
      throw base::Error(base::Errc::usage, "a variant without a value cannot be encoded");
    put(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& alternative) { put(alternative); }, value);
  } else if constexpr (d::kIsMap<T>) {
    put_count(value.size());
    for (const auto& [key, mapped] : value) put(key), put(mapped);
  } else if constexpr (d::kIsSet<T>) {
    put_count(value.size());
    for (const auto& key : value) put(key);
  } else if constexpr (d::HasFields<T>) {
    // `fields` is one list for both directions and so cannot be const; the writer only reads
    // through it.
    const_cast<T&>(value).fields(*this);
  } else if constexpr (d::PlainAggregate<T>) {  // anything else was refused, in words, by
                                                // require_encodable
    d::with_members(value, [this](const auto&... member) { (put(member), ...); });
    if constexpr (d::member_count<T>() == 0) put(std::uint8_t{0});
  }
}

template <class T>
void Reader::get(T& value) {
  namespace d = detail;
  if constexpr (d::Number<T>) {
    d::get_number(*this, value);
  } else if constexpr (d::kIsString<T>) {
    value.resize(get_count());
    get_raw(value.data(), value.size());
  } else if constexpr (d::kIsVector<T>) {
    d::get_vector(*this, value);
  } else if constexpr (d::kIsArray<T>) {
    for (auto& element : value) get(element);
    if constexpr (std::tuple_size_v<T> == 0) static_cast<void>(get_byte(1, "an empty value"));
  } else if constexpr (d::kIsTuple<T>) {
    std::apply([this](auto&... element) { (get(element), ...); }, value);
    if constexpr (std::tuple_size_v<T> == 0) static_cast<void>(get_byte(1, "an empty value"));
  } else if constexpr (d::kIsOptional<T>) {
    value.reset();
    if (get_byte(2, "the flag of an optional") != 0) get(value.emplace());
  } else if constexpr (d::kIsVariant<T>) {
    d::get_variant(*this, value);
  } else if constexpr (d::kIsMap<T> || d::kIsSet<T>) {
    d::get_sorted(*this, value);
  } else if constexpr (d::HasFields<T>) {
    if (++depth_ > kMaxDepth) fail("fewer nested values");
    value.fields(*this);
    --depth_;
  } else if constexpr (d::PlainAggregate<T>) {
    d::with_members(value, [this](auto&... member) { (get(member), ...); });
    if constexpr (d::member_count<T>() == 0) static_cast<void>(get_byte(1, "an empty value"));
  }
}

}  // namespace rt::inline v0
