#pragma once
// ParamSlab: everything that training changes about a network, in one 64-byte aligned block.
//
//   bytes = [ weights | optimizer slot 0 | slot 1 | ... | units | SlabState ]   each padded to 64
//
// The units' ids and births (nn/model/units.h) are there once a network was reshaped: before, they
// follow from the spec.
//
// Weights and each slot are `layout.count` floats in the same layout, so an optimizer is one pass
// over the block and a copy, a fork, a checkpoint or a transfer is one operation on it. What an
// optimizer's slots mean: optimizers/*.h. A slab is either the owner of its bytes or a view on
// bytes owned by somebody else (the constructor says which). It is movable, not copyable; the bytes
// of an owner stay where they are when it is moved. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/kernels.h"
#include "nn/data/block.h"
#include "nn/model/layout.h"
#include "nn/model/spec.h"
#include "nn/model/units.h"
#include "nn/training/hyper.h"

namespace nn {

/// What changes besides the numbers themselves; lives at the end of the bytes.
struct SlabState {
  std::int64_t steps = 0;  ///< optimizer steps done since init; Adam's bias correction counts them
  std::int64_t rows = 0;   ///< rows seen since init
};

class ParamSlab {
 public:
  /// What determines the size and meaning of the bytes; never changes during training. Encodable.
  struct Header {
    ModelSpec spec;         ///< canonical (nn::complete), output layer included
    std::string optimizer;  ///< kind the slots belong to
    std::int32_t slots = 0;
    bool reshaped = false;  ///< the bytes hold a UnitState
    auto operator<=>(const Header&) const = default;
  };

  /// Owns zeroed bytes.
  explicit ParamSlab(Header header);
  /// A view on `byte_size(header)` bytes at a 64-byte aligned address; the caller keeps them alive.
  ParamSlab(Header header, std::byte* borrowed);
  ParamSlab(ParamSlab&&) noexcept = default;
  ParamSlab& operator=(ParamSlab&&) noexcept = default;

  [[nodiscard]] static std::size_t byte_size(const Header& header);

  [[nodiscard]] const Header& header() const noexcept { return header_; }
  [[nodiscard]] const ModelSpec& spec() const noexcept { return header_.spec; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return block_.bytes(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return block_.bytes(); }

  /// Elements of one copy of the weights, gaps included: param_layout(spec).count.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::span<float> weights() noexcept;
  [[nodiscard]] std::span<const float> weights() const noexcept;
  /// Optimizer slot i, 0 <= i < header().slots.
  [[nodiscard]] std::span<float> slot(int i);
  [[nodiscard]] std::span<const float> slot(int i) const;
  [[nodiscard]] SlabState& state() noexcept;
  [[nodiscard]] const SlabState& state() const noexcept;
  /// Ids and births; those of a fresh network unless header().reshaped.
  [[nodiscard]] UnitState units() const;
  /// The same for a view whose bytes lie in `memory`.
  [[nodiscard]] SlabState state(const kern::Memory& memory) const;
  void set_state(const kern::Memory& memory, const SlabState& state);
  [[nodiscard]] UnitState units(const kern::Memory& memory) const;
  /// Needs header().reshaped.
  void set_units(const UnitState& units) { set_units(kern::kOwnMemory, units); }
  /// The same of a view whose bytes lie in `memory`.
  void set_units(const kern::Memory& memory, const UnitState& units);

 private:
  [[nodiscard]] std::span<const std::int64_t> unit_words() const noexcept;

  Header header_;
  std::size_t count_;
  Block block_;
};

/// The header of a slab for training `spec` with that optimizer. Completes and checks both; throws
/// SpecError.
[[nodiscard]] ParamSlab::Header slab_header(const ModelSpec& spec, const Choice& optimizer);

}  // namespace nn
