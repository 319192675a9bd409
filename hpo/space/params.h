#pragma once
// The hyperparameters of one trial: a small ordered map from name to value.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "hpo/space/value.h"

namespace base {
class Json;
}

namespace hpo {

/// An ordered list of (name, value) with unique names. The order is the one of the study file, so
/// that every table, export and record shows parameters in the same order. Inactive parameters are
/// absent. Look-up is linear.
class Params {
 public:
  using Entry = std::pair<std::string, ParamValue>;

  Params() = default;
  Params(std::initializer_list<Entry> entries);

  /// The value of `name`, or null when it is absent (inactive).
  [[nodiscard]] const ParamValue* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// Replaces the value of `name` in its place, or appends it.
  void set(std::string_view name, ParamValue value);

  /// Appends the value of a name that is not there yet.
  void append(std::string_view name, ParamValue value) {
    entries_.emplace_back(std::string(name), std::move(value));
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

  /// Same names, same values, same order.
  bool operator==(const Params&) const = default;

  /// Members, for the canonical byte form (runtime/codec.h).
  template <class A>
  void fields(A& archive) {
    archive(entries_);
  }

 private:
  std::vector<Entry> entries_;
};

/// `{"lr": 0.01, "optimizer": "adam"}`: one JSON object on one line.
[[nodiscard]] std::string json_of(const Params& params);

/// The same for two lists exactly when all names and values are equal, types and order included.
[[nodiscard]] base::Key key_of(const Params& params);

/// `lr=0.01 optimizer=adam`, for people.
[[nodiscard]] std::string text_of(const Params& params);

/// Reads what json_of(Params) wrote. Throws base::Error (storage) on anything else.
[[nodiscard]] Params params_from_json(std::string_view text);
[[nodiscard]] Params params_from_json(const base::Json& json);

}  // namespace hpo
