#pragma once
// A search space: parameters in the order of the study file, some of which exist only under
// conditions.
//
// This is all that samplers and stopping rules know of a study file. A Space is a value: immutable
// once made, safe to share between threads, encodable (runtime/codec.h).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "hpo/space/forbidden.h"
#include "hpo/space/parameter.h"
#include "hpo/space/params.h"

namespace hpo {

/// What is wrong with a list of parameters. what() is one line that names the parameter; a caller
/// who knows the text behind it can point at the place.
class SpaceError : public base::Error {
 public:
  SpaceError(std::size_t parameter, std::string field, const std::string& name,
             const std::string& problem);
  [[nodiscard]] std::size_t parameter() const noexcept {
    return parameter_;
  }  ///< index into the list
  [[nodiscard]] const std::string& field() const noexcept {
    return field_;
  }  ///< "min", "when", ...; empty: the name
  [[nodiscard]] const std::string& problem() const noexcept {
    return problem_;
  }  ///< the sentence without the place

 private:
  std::size_t parameter_;
  std::string field_;
  std::string problem_;
};

class Space {
 public:
  Space() = default;

  /// Throws SpaceError when a name repeats, a domain is empty or malformed, a condition names a
  /// parameter that does not exist or a value it cannot take, or conditions form a circle.
  /// `forbidden` has no empty combination and names parameters of the list (base::Error otherwise).
  explicit Space(std::vector<Parameter> parameters, std::vector<Forbidden> forbidden = {});

  /// In the order of the study file; a point of the unit cube has one coordinate for each, in this
  /// order.
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Combinations that no point of the space has.
  [[nodiscard]] const std::vector<Forbidden>& forbidden() const { return forbidden_; }
  [[nodiscard]] std::size_t size() const { return parameters_.size(); }
  [[nodiscard]] bool empty() const { return parameters_.empty(); }

  /// Index of `name` in parameters().
  [[nodiscard]] std::optional<std::size_t> index_of(std::string_view name) const;
  [[nodiscard]] const Parameter* find(std::string_view name) const;

  /// Indices of all parameters so that each comes after those its conditions name; otherwise as
  /// declared.
  [[nodiscard]] std::span<const std::size_t> order() const { return order_; }

  /// Whether parameter `index` exists, given the values of those it depends on.
  [[nodiscard]] bool is_active(std::size_t index, const Params& params) const;

  /// Indices, as declared, of the parameters that exist under `params`.
  [[nodiscard]] std::vector<std::size_t> active(const Params& params) const;

  /// False when the values have a forbidden combination. Looks at nothing else.
  [[nodiscard]] bool allows(const Params& params) const;

  /// True when `params` has exactly the active parameters, in order, each with a value of its
  /// domain, and no forbidden combination.
  [[nodiscard]] bool contains(const Params& params) const;

  /// Says what keeps `params` out of the space, for a person; empty when contains(params).
  [[nodiscard]] std::string reason_outside(const Params& params) const;

  /// What a person chose: `given` over those values of `base` that are active beside them, in the
  /// order of the space, ints as floats where the parameter is a float. What the space does not
  /// know or take stays, for reason_outside to name.
  [[nodiscard]] Params adopt(const Params& given, const Params& base = {}) const;

  /// The point that has all of `given`, whose conditions hold among themselves, and what of `base`
  /// fits beside it; where both leave something open, the middle of it.
  [[nodiscard]] Params completed(const Params& given, const Params& base) const;

  /// Number of distinct points, conditions and forbidden combinations taken into account: none when
  /// a float has no step, when the number passes 2^63, or when conditions and combinations branch
  /// more than a million ways. A space
  /// without parameters has one point.
  [[nodiscard]] std::optional<std::uint64_t> grid_size() const;

  /// The i-th point of the grid: nested loops over order(), the last turning fastest; i is below
  /// grid_size().
  [[nodiscard]] Params grid_point(std::uint64_t i) const;

  /// The point at `u` (size() coordinates in [0, 1]); coordinates of inactive parameters are not
  /// looked at. It may have a forbidden combination.
  [[nodiscard]] Params from_unit(std::span<const double> u) const;

  /// A point about halfway in every direction: any one will do where it does not matter which.
  [[nodiscard]] Params middle() const;

  /// Coordinates of a point of the space; 0.5 for inactive parameters.
  [[nodiscard]] std::vector<double> to_unit(const Params& params) const;

  bool operator==(const Space& other) const {
    return parameters_ == other.parameters_ && forbidden_ == other.forbidden_;
  }

  /// Members, for the canonical byte form (runtime/codec.h).
  template <class A>
  void fields(A& archive) {
    archive(parameters_, order_, forbidden_);
  }

 private:
  [[nodiscard]] Params in_order(const Params& params) const;

  std::vector<Parameter> parameters_;
  std::vector<std::size_t> order_;
  std::vector<Forbidden> forbidden_;
};

}  // namespace hpo
