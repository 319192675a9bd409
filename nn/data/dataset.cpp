#include "nn/data/dataset.h"

#include <limits>
#include <stdexcept>
#include <utility>

namespace nn {

namespace {

/// Byte offsets of the arrays inside the block.
struct Offsets {
  std::size_t x, y, train, valid, test, replay, replayed, shift, scale, end;
};

/// Adds arrays one after the other, each on a boundary, refusing sizes that overflow.
class Layout {
 public:
  std::size_t place(std::uint64_t count, std::uint64_t width) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(count, width, &bytes) || bytes > kMax - end_) {
      throw std::invalid_argument("a data set of this size cannot be addressed");
    }
    const std::size_t start = end_;
    end_ = Block::aligned(end_ + bytes);
    return start;
  }
  [[nodiscard]] std::size_t end() const { return end_; }

 private:
  std::size_t end_ = 0;
};

std::size_t element_size(Storage storage) { return storage == Storage::u8 ? 1 : sizeof(float); }

Offsets offsets_of(const Dataset::Header& h) {
  Layout layout;
  std::uint64_t row_bytes = 0;
  if (__builtin_mul_overflow(h.cols, element_size(h.storage), &row_bytes)) {
    throw std::invalid_argument("a data set of this size cannot be addressed");
  }
  Offsets at{};
  at.x = layout.place(h.rows, row_bytes);
  at.y = layout.place(h.rows, 4 * h.targets.size());
  at.train = layout.place(h.train_rows, 4);
  at.valid = layout.place(h.valid_rows, 4);
  at.test = layout.place(h.test_rows, 4);
  at.replay = layout.place(h.replay_rows, 4);
  at.replayed = layout.place(h.replayed_rows, 4);
  at.shift = layout.place(h.cols, 4);
  at.scale = layout.place(h.cols, 4);
  at.end = layout.end();
  return at;
}

void check(const Dataset::Header& h) {
  constexpr std::uint64_t kMaxRows = std::numeric_limits<std::uint32_t>::max();
  if (h.rows > kMaxRows) throw std::invalid_argument("a data set holds at most 2^32 - 1 rows");
  std::uint64_t left = h.rows;
  const auto fits = [&](std::uint64_t rows) {
    const bool enough = rows <= left;
    left -= enough ? rows : 0;
    return enough;
  };
  if (!fits(h.new_rows()) || !fits(h.valid_rows) || !fits(h.test_rows) || !fits(h.replay_rows) ||
      !fits(h.replayed_rows) || (h.replayed_rows > 0 && h.train_rows % 2 != 0))
    throw std::invalid_argument("a data set's parts hold more rows than it has");
  if (h.task == LearningTask::guess) {
    throw std::invalid_argument("a data set must know whether its targets are classes");
  }
  const bool classes = h.task == LearningTask::classification;
  if (h.targets.empty() || h.targets.size() > kMaxTargets || (classes && h.targets.size() > 1)) {
    throw std::invalid_argument("a data set has one column of classes, or 1 to " +
                                std::to_string(kMaxTargets) + " of numbers to predict");
  }
  if (static_cast<std::uint64_t>(h.input.elements()) != h.cols) {
    throw std::invalid_argument("a data set's input shape and columns differ");
  }
}

std::size_t part_offset(const Offsets& at, Part part) {
  switch (part) {
    case Part::train:
      return at.train;
    case Part::valid:
      return at.valid;
    case Part::test:
      return at.test;
    case Part::replay:
      break;
  }
  return at.replay;
}

}  // namespace

std::span<const std::uint32_t> Dataset::Header::units_of(Part part) const noexcept {
  if (part == Part::valid) return valid_units;
  if (part == Part::test) return test_units;
  return {};
}

std::uint64_t Dataset::Header::rows_of(Part part) const noexcept {
  switch (part) {
    case Part::train:
      return train_rows;
    case Part::valid:
      return valid_rows;
    case Part::test:
      return test_rows;
    case Part::replay:
      break;
  }
  return replay_rows;
}

std::size_t Dataset::byte_size(const Header& header) {
  check(header);
  return offsets_of(header).end;
}

Dataset::Dataset(Header header) : header_(std::move(header)), block_(byte_size(header_)) {}

Dataset::Dataset(Header header, std::byte* borrowed)
    : header_(std::move(header)), block_(borrowed, byte_size(header_)) {}

std::span<const std::uint8_t> Dataset::x_u8() const {
  if (header_.storage != Storage::u8) return {};
  return block_.array<std::uint8_t>(offsets_of(header_).x, header_.rows * header_.cols);
}

std::span<const float> Dataset::x_f32() const {
  if (header_.storage != Storage::f32) return {};
  return block_.array<float>(offsets_of(header_).x, header_.rows * header_.cols);
}

std::span<const std::int32_t> Dataset::labels() const {
  if (!is_classification()) return {};
  return block_.array<std::int32_t>(offsets_of(header_).y, header_.rows);
}

std::span<const float> Dataset::targets() const {
  if (is_classification()) return {};
  return block_.array<float>(offsets_of(header_).y, header_.rows * header_.targets.size());
}

std::span<const std::uint32_t> Dataset::part(Part part) const {
  return block_.array<std::uint32_t>(part_offset(offsets_of(header_), part), header_.rows_of(part));
}

std::span<const std::uint32_t> Dataset::replayed() const {
  return block_.array<std::uint32_t>(offsets_of(header_).replayed, header_.replayed_rows);
}

std::span<const float> Dataset::shift() const {
  return block_.array<float>(offsets_of(header_).shift, header_.cols);
}

std::span<const float> Dataset::scale() const {
  return block_.array<float>(offsets_of(header_).scale, header_.cols);
}

DataView Dataset::view(Part which) const {
  DataView view;
  view.shape = header_.input;
  if (header_.storage == Storage::u8) view.u8 = x_u8().data();
  if (header_.storage == Storage::f32) view.f32 = x_f32().data();
  view.shift = shift().data();
  view.scale = scale().data();
  if (is_classification()) {
    view.labels = labels().data();
  } else {
    view.targets = targets().data();
    view.target_columns = header_.targets;
  }
  view.outputs = static_cast<std::int32_t>(outputs());
  view.rows = part(which);
  view.training = part(Part::train);
  if (which == Part::train) view.replayed = replayed();
  view.class_names = header_.class_names;
  return view;
}

namespace {

template <class T>
std::span<T> writable(std::span<const T> view) {
  return {const_cast<T*>(view.data()), view.size()};
}

}  // namespace

std::span<std::uint8_t> Dataset::mutable_x_u8() { return writable(x_u8()); }
std::span<float> Dataset::mutable_x_f32() { return writable(x_f32()); }
std::span<std::int32_t> Dataset::mutable_labels() { return writable(labels()); }
std::span<float> Dataset::mutable_targets() { return writable(targets()); }
std::span<std::uint32_t> Dataset::mutable_part(Part which) { return writable(part(which)); }
std::span<std::uint32_t> Dataset::mutable_replayed() { return writable(replayed()); }
std::span<float> Dataset::mutable_shift() { return writable(shift()); }
std::span<float> Dataset::mutable_scale() { return writable(scale()); }

}  // namespace nn
