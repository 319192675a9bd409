#pragma once
// Where each value of a study file stands, for messages about a study that was read.

#include <map>
#include <string>
#include <string_view>

#include "hpo/study/study_error.h"

namespace hpo::study {

struct Node;
struct Field;

class Places {
 public:
  Places() = default;
  /// Of a tree that a Checker has passed, for the values that `block` has rows for.
  Places(const Node& root, const Field& block);

  /// Returns the position of a value: "limits.trials", "metric.1.name" of a list. A value that the
  /// file leaves out has the position of what it would stand in.
  [[nodiscard]] Position at(std::string_view path) const;
  /// Returns the position of the value's key.
  [[nodiscard]] Position key_at(std::string_view path) const;
  /// True if the file has the value.
  [[nodiscard]] bool has(std::string_view path) const { return all_.contains(path); }

 private:
  struct Place {
    Position value, key;
  };
  void add(const Node& node, Position key, const Field& row, const std::string& path);
  void add_block(const Node& map, const Field& block, const std::string& path);
  [[nodiscard]] const Place* nearest(std::string_view path) const;

  std::map<std::string, Place, std::less<>> all_;
};

}  // namespace hpo::study
