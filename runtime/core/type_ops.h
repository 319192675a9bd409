// What the runtime must know about the type of a value, as a table of functions: the graph itself
// is not a template.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/codec.h"
#include "runtime/key.h"

namespace rt::inline v0 {

/// A type whose content is one contiguous block plus a small header: the bytes can live on a GPU,
/// the header stays on the host. An object either owns its block, T(header), or is a view on one
/// that the runtime owns, T(header, bytes). The block is 64-byte aligned, the owning form keeps its
/// address when it is moved.
template <class T>
concept BufferType = requires(T& object, const T& constant, const typename T::Header& header,
                              std::byte* bytes) {
  { constant.header() } -> std::convertible_to<const typename T::Header&>;
  { T::byte_size(header) } -> std::convertible_to<std::size_t>;
  { object.bytes() } -> std::convertible_to<std::span<std::byte>>;
  { constant.bytes() } -> std::convertible_to<std::span<const std::byte>>;
  T(header);
  T(header, bytes);
}
&&std::movable<T>;

namespace detail {

/// The name of T as the compiler writes it, without a demangler.
template <class T>
constexpr std::string_view type_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t from = text.find("T = ") + 4;
  constexpr std::size_t semicolon = text.find(';', from);
  return text.substr(from, (semicolon == text.npos ? text.size() - 1 : semicolon) - from);
}

struct TypeOps {
  std::string_view name;
  bool buffer = false;
  std::size_t size = 0;
  std::size_t align = 1;
  void (*destroy)(void* object) noexcept = nullptr;
  void (*copy)(void* to, const void* from) = nullptr;  ///< null: cannot be copied (or a buffer)
  void (*make)(void* to) = nullptr;  ///< null: cannot be default-made (or a buffer)
  void (*encode)(const void* object, const std::byte* bytes,
                 base::Bytes& to) =
      nullptr;  ///< bytes: a buffer's, where they are (null: only the header)
  void (*decode)(void* to, std::span<const std::byte> from) = nullptr;
  std::string (*describe)(const void* object) = nullptr;
  // Buffers only.
  void (*move)(void* to, void* from) = nullptr;
  std::span<std::byte> (*bytes)(void* object) = nullptr;
  std::size_t (*byte_size)(const void* object) = nullptr;  ///< of its header
  void (*view)(void* to, const void* like,
               std::byte* memory) = nullptr;  ///< T(like.header(), memory)
};

template <class T>
concept Describable = requires(const T& t) {
  { t.describe() } -> std::convertible_to<std::string>;
};

/// What a value looks like in an error: its own words, a number, or type and size.
template <class T>
std::string describe(const T& object) {
  if constexpr (Describable<T>) {
    return object.describe();
  } else if constexpr (std::is_same_v<T, bool>) {
    return object ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(object);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return '"' + std::string(std::string_view(object).substr(0, 60)) + '"';
  } else if constexpr (BufferType<T>) {
    return std::string(type_name<T>()) + '[' + std::to_string(T::byte_size(object.header())) +
           " bytes]";
  } else {
    return std::string(type_name<T>());
  }
}

template <class T>
void encode_object(const void* object, const std::byte* bytes, base::Bytes& to) {
  const T& value = *static_cast<const T*>(object);
  if constexpr (BufferType<T>) {
    Writer w;
    w.put(value.header());
    to = std::move(w).bytes();
    if (bytes != nullptr) to.insert(to.end(), bytes, bytes + T::byte_size(value.header()));
  } else {
    to = encode(value);
  }
}

template <class T>
void decode_object(void* to, std::span<const std::byte> from) {
  if constexpr (BufferType<T>) {
    typename T::Header header{};
    Reader r(from);
    r.get(header);
    const std::size_t size = T::byte_size(header);
    if (r.left() != size)
      throw base::Error(base::Errc::data, "a stored value has the wrong length for its header");
    T* made = new (to) T(header);
    if (size != 0) std::memcpy(made->bytes().data(), from.last(size).data(), size);
  } else {
    new (to) T(rt::decode<T>(from));
  }
}

template <class T>
constexpr TypeOps make_type_ops() {
  TypeOps ops;
  ops.name = type_name<T>();
  ops.buffer = BufferType<T>;
  ops.size = sizeof(T);
  ops.align = alignof(T);
  ops.destroy = [](void* object) noexcept { static_cast<T*>(object)->~T(); };
  ops.encode = encode_object<T>;
  ops.decode = decode_object<T>;
  ops.describe = [](const void* object) { return describe(*static_cast<const T*>(object)); };
  if constexpr (BufferType<T>) {
    ops.move = [](void* to, void* from) { new (to) T(std::move(*static_cast<T*>(from))); };
    ops.bytes = [](void* object) -> std::span<std::byte> {
      return static_cast<T*>(object)->bytes();
    };
    ops.byte_size = [](const void* object) -> std::size_t {
      return T::byte_size(static_cast<const T*>(object)->header());
    };
    ops.view = [](void* to, const void* like, std::byte* memory) {
      new (to) T(static_cast<const T*>(like)->header(), memory);
    };
  } else {
    if constexpr (std::is_copy_constructible_v<T>) {
      ops.copy = [](void* to, const void* from) { new (to) T(*static_cast<const T*>(from)); };
    }
    if constexpr (std::is_default_constructible_v<T>) {
      ops.make = [](void* to) { new (to) T(); };
    }
  }
  return ops;
}

template <class T>
inline constexpr TypeOps type_ops_of = make_type_ops<T>();

/// A value without content: what a task that returns nothing yields, and a file's version.
struct Nothing {};

template <class T>
constexpr const TypeOps* type_ops() {
  if constexpr (std::is_void_v<T>) {
    return &type_ops_of<Nothing>;
  } else {
    return &type_ops_of<T>;
  }
}

/// Fails to compile, in words, when T can't be the content of a Value.
template <class T>
constexpr void require_value() {
  if constexpr (BufferType<T>) {
    static_assert(
        Encodable<typename T::Header>,
        "rt: the Header of this buffer type has no canonical byte form (see runtime/codec.h)");
  } else {
    static_assert(std::is_move_constructible_v<T>, "rt: a value must be movable");
    require_encodable<T>();
  }
}

}  // namespace detail
}  // namespace rt::inline v0
