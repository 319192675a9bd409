#include "nn/model/slab.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.h"
#include "nn/optimizers/optimizer.h"

namespace nn {
namespace {

std::size_t floats_of(const ParamSlab::Header& header, std::size_t count) {
  if (header.slots < 0)
    throw base::Error(base::Errc::internal,
                      "a slab cannot have " + std::to_string(header.slots) + " slots");
  return count * (1 + static_cast<std::size_t>(header.slots));
}

std::size_t unit_bytes(const ParamSlab::Header& header) {
  return header.reshaped ? unit_words(header.spec) * sizeof(std::int64_t) : 0;
}

std::size_t size_of(const ParamSlab::Header& header, std::size_t count) {
  return Block::aligned(floats_of(header, count) * sizeof(float)) +
         Block::aligned(unit_bytes(header)) + Block::aligned(sizeof(SlabState));
}

}  // namespace

ParamSlab::ParamSlab(Header header)
    : header_(std::move(header)),
      count_(param_layout(header_.spec).count),
      block_(size_of(header_, count_)) {}

ParamSlab::ParamSlab(Header header, std::byte* borrowed)
    : header_(std::move(header)),
      count_(param_layout(header_.spec).count),
      block_(borrowed, size_of(header_, count_)) {}

std::size_t ParamSlab::byte_size(const Header& header) {
  return size_of(header, param_layout(header.spec).count);
}

std::span<float> ParamSlab::weights() noexcept { return block_.array<float>(0, count_); }
std::span<const float> ParamSlab::weights() const noexcept {
  return block_.array<float>(0, count_);
}

std::span<float> ParamSlab::slot(int i) {
  const auto view = std::as_const(*this).slot(i);
  return {const_cast<float*>(view.data()), view.size()};
}

std::span<const float> ParamSlab::slot(int i) const {
  if (i < 0 || i >= header_.slots) throw std::out_of_range("optimizer slot " + std::to_string(i));
  const std::size_t copy = 1 + static_cast<std::size_t>(i);
  return block_.array<float>(copy * count_ * sizeof(float), count_);
}

SlabState& ParamSlab::state() noexcept {
  return const_cast<SlabState&>(std::as_const(*this).state());
}

const SlabState& ParamSlab::state() const noexcept {
  const auto all = block_.bytes();
  const std::size_t offset = all.size() - Block::aligned(sizeof(SlabState));
  return *reinterpret_cast<const SlabState*>(all.data() + offset);
}

std::span<const std::int64_t> ParamSlab::unit_words() const noexcept {
  const std::size_t offset = Block::aligned(floats_of(header_, count_) * sizeof(float));
  return block_.array<std::int64_t>(offset, unit_bytes(header_) / sizeof(std::int64_t));
}

UnitState ParamSlab::units() const {
  return header_.reshaped ? read_units(spec(), unit_words()) : first_units(spec());
}

SlabState ParamSlab::state(const kern::Memory& memory) const {
  SlabState here;
  memory.get(&here, &state(), sizeof here);
  return here;
}

void ParamSlab::set_state(const kern::Memory& memory, const SlabState& state) {
  memory.put(&this->state(), &state, sizeof state);
}

UnitState ParamSlab::units(const kern::Memory& memory) const {
  if (!header_.reshaped) return first_units(spec());
  const auto there = unit_words();
  std::vector<std::int64_t> here(there.size());
  memory.get(here.data(), there.data(), there.size_bytes());
  return read_units(spec(), here);
}

void ParamSlab::set_units(const kern::Memory& memory, const UnitState& units) {
  if (!header_.reshaped) throw std::logic_error("a slab without units cannot keep them");
  const auto there = unit_words();
  std::vector<std::int64_t> here(there.size());
  write_units(units, here);
  memory.put(const_cast<std::int64_t*>(there.data()), here.data(), there.size_bytes());
}

ParamSlab::Header slab_header(const ModelSpec& spec, const Choice& optimizer) {
  return {complete(spec), optimizer.kind, optimizer_slots(optimizer), false};
}

}  // namespace nn
