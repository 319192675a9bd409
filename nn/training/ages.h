#pragma once
// Ages<T>: which weights of a reshaped network count their optimizer steps from when, cut into
// pieces that a kernel can run over.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/model/layout.h"
#include "nn/model/units.h"

namespace nn {

/// A run of rows in a slab. Either all of it was born at one step, or column j of every row at
/// a step of its own; then `table` says which table of factors the columns use.
struct AgeRun {
  std::size_t offset = 0;  ///< in elements
  std::size_t rows = 0, cols = 0;
  std::int64_t birth = 0;
  std::int32_t table = -1;
};

/// A part of the slab whose runs lie in it whole; all parts together hold everything that is
/// trained, gaps included.
struct SlabPart {
  std::size_t offset = 0, count = 0;  ///< in elements
  std::size_t first_run = 0, runs = 0;
};

/// Returns what each layer trains, in order, with the gaps behind it.
[[nodiscard]] std::vector<SlabPart> layer_parts(const ParamLayout& layout);

/// What an optimizer multiplies by at a certain age; two numbers are enough for Adam.
template <class T>
struct AgeFactors {
  T first = 0, second = 0;
};

/// Made once for a segment of steps; then nothing allocates. Elements between tensors may lie in
/// runs, so what is done to a weight must keep a zero with a zero gradient.
template <class T>
class Ages {
 public:
  /// Parts of about `part` elements.
  Ages(const ParamLayout& layout, const UnitState& units, std::size_t part = kUpdatePart);
  /// The parts are `layers`, those of layer_parts().
  Ages(const ParamLayout& layout, const UnitState& units, std::vector<SlabPart> layers);

  [[nodiscard]] std::span<const AgeRun> runs() const noexcept { return runs_; }
  /// Parts that can be updated side by side, in order.
  [[nodiscard]] std::span<const SlabPart> parts() const noexcept { return parts_; }
  [[nodiscard]] std::span<const AgeRun> runs(const SlabPart& part) const noexcept {
    return runs().subspan(part.first_run, part.runs);
  }

  /// Sets the tables for a step: factors(age) for each age, which counts from 1 at birth.
  template <class F>
  void at_step(std::int64_t step, F factors) {
    for (std::size_t i = 0; i < births_.size(); ++i) of_birth_[i] = factors(step - births_[i]);
    for (Table& table : tables_) {
      for (std::size_t j = 0; j < table.birth.size(); ++j) {
        const AgeFactors<T> f = of_birth_[table.birth[j]];
        table.first[j] = f.first;
        table.second[j] = f.second;
      }
    }
  }
  /// The factors of a table's columns, as at_step left them.
  [[nodiscard]] const T* first(std::int32_t table) const { return at(table).first.data(); }
  [[nodiscard]] const T* second(std::int32_t table) const { return at(table).second.data(); }

 private:
  struct Table {
    std::vector<std::uint32_t> birth;  // index into births_, one a column
    std::vector<T> first, second;
  };
  struct Lines;
  [[nodiscard]] const Table& at(std::int32_t table) const { return tables_[std::size_t(table)]; }
  /// Lists the runs of a tensor. The first one may join the run before it unless the tensor
  /// `begins` a part.
  void add_tensor(const ParamTensor& tensor, const Lines& lines, bool begins);
  void add_run(const AgeRun& run, bool begins);
  void add_tensors(const ParamLayout& layout, const UnitState& units);
  void cut(std::size_t trained, std::size_t part_size);
  std::int32_t add_table(std::span<const std::int64_t> births);

  std::vector<AgeRun> runs_;
  std::vector<SlabPart> parts_;
  std::vector<std::int64_t> births_;  // all different
  std::vector<AgeFactors<T>> of_birth_;
  std::vector<Table> tables_;
};

extern template class Ages<float>;
extern template class Ages<double>;

}  // namespace nn
