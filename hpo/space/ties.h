#pragma once
// What the forbidden combinations of a space ask of the values that are left of its parameters.

#include <cstddef>
#include <optional>
#include <vector>

#include "hpo/space/left.h"
#include "hpo/space/space.h"

namespace hpo {

/// What holds, may hold, or holds no more of what is left.
enum class Holds : std::uint8_t { surely, perhaps, never };

/// The combinations as lists of atoms, of which one must be false in each: its clauses, and the
/// conditions without which their parameters are inactive. So every parameter has a value here, and
/// those of inactive ones do not matter.
class Ties {
 public:
  /// `space` outlives it.
  explicit Ties(const Space& space);

  /// Which parameters the atoms name, as declared.
  [[nodiscard]] const std::vector<std::size_t>& parameters() const { return named_; }
  /// How many combinations there are, and atoms in each.
  [[nodiscard]] std::size_t size() const { return ties_.size(); }
  [[nodiscard]] std::size_t atoms(std::size_t tie) const { return ties_[tie].size(); }

  [[nodiscard]] Holds holds(std::size_t tie, std::size_t atom, const std::vector<Left>& left) const;

  /// Takes out of `left` values that no allowed point has, given the others: for each combination
  /// `chosen` may name the atom that is to be false. Whether something is left of each parameter.
  [[nodiscard]] bool narrow(std::vector<Left>& left,
                            const std::vector<std::optional<std::size_t>>& chosen) const;

 private:
  struct Atom {
    enum class Is : std::uint8_t { exactly, equal, above, below };
    std::size_t at = 0;
    Is is = Is::equal;
    std::vector<ParamValue> values = {};
    std::optional<std::size_t> other = {};
  };

  void add_conditions(const Space& space, std::size_t at, std::vector<Atom>& tie);
  [[nodiscard]] static Holds holds(const Atom& atom, const std::vector<Left>& left);
  /// Makes an atom false, as far as single parameters can tell; whether anything changed.
  static bool refute(const Atom& atom, std::vector<Left>& left);
  struct Last {
    bool all_hold = false;                 ///< no atom can be false any more
    std::optional<std::size_t> atom = {};  ///< the only one that still can, where another must not
  };
  [[nodiscard]] Last last_open(std::size_t tie, const std::vector<Left>& left) const;

  std::vector<std::vector<Atom>> ties_;
  std::vector<std::size_t> named_;
};

}  // namespace hpo
