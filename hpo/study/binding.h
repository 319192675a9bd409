#pragma once
// How rows of the table of fields reach the members of StudySpec: a Binding reads a checked value
// into a member, and writes the member as the checked value that it was read from. Only for the
// files that hold rows or evaluate expressions.
//
// A new type of member needs one more Codec.

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "hpo/space/bound.h"
#include "hpo/study/field.h"
#include "hpo/study/node.h"
#include "hpo/study/scalars.h"
#include "hpo/study/sections.h"
#include "hpo/study/substitute.h"
#include "hpo/study/words.h"

namespace hpo::study {

/// Reads the keys of a checked map into the members of `owner` that `block`'s rows are bound to.
void read_block(void* owner, const Node& map, const Field& block);

/// Writes the members as a map, in the order of the table, without rows that do not apply to
/// `source`; nothing where no member has a value.
[[nodiscard]] std::optional<Node> write_block(const void* owner, const Field& block,
                                              std::string_view source);

/// A value of type T as a checked node. This one is for structs whose members have rows.
template <class T>
struct Codec {
  static void read(T& value, const Node& node, const Field& row) { read_block(&value, node, row); }
  static std::optional<Node> write(const T& value, const Field& row, std::string_view source) {
    if constexpr (requires { value.source(); }) source = value.source();
    return write_block(&value, row, source);
  }
};

/// True for a row that takes a word besides a number that 0 is none of: 0 stands for the word.
[[nodiscard]] bool zero_is_word(const Field& row);

template <class T>
requires std::integral<T> || std::floating_point<T>
struct Codec<T> {
  static void read(T& value, const Node& node, const Field& row) {
    if (zero_is_word(row) && node.text == row.words.front())
      value = 0;
    else if constexpr (std::same_as<T, bool>)
      value = node.text == "true";
    else
      value = static_cast<T>(number(node, row));
  }
  static std::optional<Node> write(const T& value, const Field& row, std::string_view) {
    if (value == T{} && zero_is_word(row)) return plain_node(row.words.front(), {});
    return plain_node(text(value, row), {});
  }

 private:
  static auto number(const Node& node, const Field& row) {
    if constexpr (std::floating_point<T>)
      return row.type == Type::duration  ? as_seconds(node)
             : row.type == Type::percent ? as_share(node)
                                         : as_number(node);
    else
      return row.type == Type::size ? static_cast<std::int64_t>(as_bytes(node)) : as_integer(node);
  }
  static std::string text(const T& value, const Field& row) {
    if constexpr (std::floating_point<T>)
      return row.type == Type::duration  ? duration_text(value)
             : row.type == Type::percent ? share_text(value)
                                         : text_of(ParamValue(value));
    else
      return row.type == Type::size ? size_text(static_cast<std::uint64_t>(value))
                                    : std::to_string(value);
  }
};

template <>
struct Codec<std::string> {
  static void read(std::string& value, const Node& node, const Field& row) {
    value = row.literal ? node.text : unescape(node).text;
  }
  static std::optional<Node> write(const std::string& value, const Field& row, std::string_view) {
    const bool absent = value.empty() && row.fallback.empty() && !row.required;
    if (absent) return std::nullopt;
    return string_node(row.literal ? value : escape(value), {});
  }
};

template <class E>
requires std::is_enum_v<E>
struct Codec<E> {
  static void read(E& value, const Node& node, const Field&) {
    value = from_word<E>(node.text).value();
  }
  /// An enumerator without a word stands for a key that is not there.
  static std::optional<Node> write(const E& value, const Field&, std::string_view) {
    const std::string_view word = to_word(value);
    return word.empty() ? std::nullopt : std::optional(plain_node(std::string(word), {}));
  }
};

template <>
struct Codec<GpuShare> {
  static void read(GpuShare& value, const Node& node, const Field&) {
    value = {.share = node.text == kAuto ? 0 : as_number(node), .is_auto = node.text == kAuto};
  }
  static std::optional<Node> write(const GpuShare& value, const Field&, std::string_view) {
    return plain_node(value.is_auto ? std::string(kAuto) : text_of(ParamValue(value.share)), {});
  }
  static constexpr std::string_view kAuto = "auto";
};

template <class T>
struct Codec<std::optional<T>> {
  static void read(std::optional<T>& value, const Node& node, const Field& row) {
    Codec<T>::read(value.emplace(), node, row);
  }
  static std::optional<Node> write(const std::optional<T>& value, const Field& row,
                                   std::string_view source) {
    return value ? Codec<T>::write(*value, row, source) : std::nullopt;
  }
};

/// A list, or of a row that may hold one value: that value where there is only one.
template <class T>
struct Codec<std::vector<T>> {
  static void read(std::vector<T>& value, const Node& node, const Field& row) {
    value.clear();
    if (!node.is_list()) return Codec<T>::read(value.emplace_back(), node, row);
    for (const Node& item : node.items) Codec<T>::read(value.emplace_back(), item, row);
  }
  static std::optional<Node> write(const std::vector<T>& value, const Field& row,
                                   std::string_view source) {
    if (value.empty() && row.fallback.empty()) return std::nullopt;
    if (value.size() == 1 && row.count == Count::one_or_list)
      return Codec<T>::write(value.front(), row, source);
    Node list{.kind = Node::Kind::list};
    for (const T& one : value) list.items.push_back(Codec<T>::write(one, row, source).value());
    return list;
  }
};

/// A map from metrics to bounds.
template <>
struct Codec<std::vector<Bound>> {
  static void read(std::vector<Bound>& value, const Node& node, const Field& row);
  static std::optional<Node> write(const std::vector<Bound>& value, const Field& row,
                                   std::string_view source);
};

template <>
struct Codec<Tree> {
  static void read(Tree& value, const Node& node, const Field& row) { value = Tree(node, row); }
  static std::optional<Node> write(const Tree& value, const Field&, std::string_view) {
    return value ? std::optional(value.node()) : std::nullopt;
  }
};

template <class T>
struct Codec<Expr<T>> {
  static void read(Expr<T>& value, const Node& node, const Field& row) {
    if (!stands_for_itself(node)) {
      value = Expr<T>(Tree(node, row));
    } else {
      T plain{};
      Codec<T>::read(plain, node, row);
      value = Expr<T>(std::move(plain));
    }
  }
  static std::optional<Node> write(const Expr<T>& value, const Field& row,
                                   std::string_view source) {
    return value.varies() ? value.tree().node() : Codec<T>::write(value.value(), row, source);
  }
};

template <class T>
std::optional<T> Expr<T>::in(const Params& params) const {
  if (!varies()) return value_;
  const Tree tree = tree_.in(params);
  if (!tree) return std::nullopt;
  T value{};
  Codec<T>::read(value, tree.node(), tree.row());
  return value;
}

namespace detail {
template <class>
struct MemberPointer;
template <class O, class T>
struct MemberPointer<T O::*> {
  using Owner = O;
  using Value = T;
};
}  // namespace detail

/// The form of a member's values: the type in the file, the number of values, whether parameters
/// may stand in them, and the words of an enumeration. A Tree's row says its type itself.
template <class T>
struct Form {
  using Block = T;
  static constexpr Type type = std::same_as<T, bool>                                 ? Type::boolean
                               : std::integral<T>                                    ? Type::integer
                               : std::floating_point<T> || std::same_as<T, GpuShare> ? Type::number
                               : std::is_enum_v<T>                                   ? Type::word
                               : std::same_as<T, std::string> || std::same_as<T, Tree>
                                   ? Type::text
                                   : Type::block;
  static constexpr Count count = Count::one;
  static constexpr bool per_trial = false;
  static std::vector<std::string> words() {
    if constexpr (std::is_enum_v<T>)
      return words_of<T>();
    else
      return {};
  }
};
template <class T>
struct Form<std::optional<T>> : Form<T> {};
template <class T>
struct Form<std::vector<T>> : Form<T> {
  static constexpr Count count = Count::list;
};
template <class T>
struct Form<Expr<T>> : Form<T> {
  static constexpr bool per_trial = true;
};
template <>
struct Form<std::vector<Bound>> : Form<Bound> {};

/// Binds a row to a member: `.binding = to<&Limits::trials>()`. The owner is the member that the
/// row's block is bound to; of a row of the top level, StudySpec.
template <auto member>
[[nodiscard]] Binding to() {
  using Owner = detail::MemberPointer<decltype(member)>::Owner;
  using Value = detail::MemberPointer<decltype(member)>::Value;
  return {.owner = &typeid(Owner),
          .block = &typeid(typename Form<Value>::Block),
          .type = Form<Value>::type,
          .count = Form<Value>::count,
          .per_trial = Form<Value>::per_trial,
          .words = Form<Value>::words(),
          .read =
              [](void* owner, const Node& node, const Field& row) {
                Codec<Value>::read(static_cast<Owner*>(owner)->*member, node, row);
              },
          .write =
              [](const void* owner, const Field& row, std::string_view source) {
                return Codec<Value>::write(static_cast<const Owner*>(owner)->*member, row, source);
              }};
}

}  // namespace hpo::study
