#pragma once
// Values of the study file that differ from trial to trial: a trial's parameters stand in them.

#include <memory>
#include <optional>
#include <utility>

#include "hpo/space/params.h"

namespace hpo::study {

struct Node;
struct Field;

/// A checked value whose form depends on kinds: a layer, an optimizer, a rule. Empty where the file
/// has none. Cheap to copy.
class Tree {
 public:
  Tree() = default;
  /// `row` is the value's row of the table of fields, and outlives the tree.
  Tree(Node node, const Field& row);

  [[nodiscard]] explicit operator bool() const { return node_ != nullptr; }
  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] const Field& row() const { return *row_; }
  /// True if a parameter, or an escaped dollar, stands in the value.
  [[nodiscard]] bool varies() const;
  /// Returns the value of one trial, checked again: itself where no parameter stands in it. A value
  /// that goes with an inactive parameter gives the row's default, or an empty tree where the row
  /// has none. Throws a StudyError.
  [[nodiscard]] Tree in(const Params& params) const;

 private:
  std::shared_ptr<const Node> node_;
  const Field* row_ = nullptr;
};

/// A value of type T, or an expression from which a trial's parameters make one.
template <class T>
class Expr {
 public:
  Expr() = default;
  Expr(T value) : value_(std::move(value)) {}
  explicit Expr(Tree tree) : tree_(std::move(tree)) {}

  [[nodiscard]] bool varies() const { return static_cast<bool>(tree_); }
  /// Returns the value of all trials; meaningless for an expression.
  [[nodiscard]] const T& value() const { return value_; }
  /// Returns the expression; only if varies().
  [[nodiscard]] const Tree& tree() const { return tree_; }
  /// As Tree::in(). Defined in binding.h.
  [[nodiscard]] std::optional<T> in(const Params& params) const;

 private:
  T value_{};
  Tree tree_;
};

}  // namespace hpo::study
