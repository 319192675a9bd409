#include "nn/data/feed.h"

#include <cstring>

#include "nn/data/block.h"

namespace nn {
namespace {

constexpr int kSlots = kern::Feed::kSlots;

int slot_of(int batch) { return batch % kSlots; }

const std::byte* bytes_of(const void* array) { return static_cast<const std::byte*>(array); }

}  // namespace

FeedShape feed_shape(const DataView& data) {
  const auto cols = static_cast<std::size_t>(data.shape.elements());
  const auto outputs = static_cast<std::size_t>(data.outputs);
  return {.features = cols * (data.u8 != nullptr ? 1 : sizeof(float)),
          .target = data.labels != nullptr    ? sizeof(std::int32_t)
                    : data.targets != nullptr ? outputs * sizeof(float)
                                              : 0,
          .cols = cols};
}

FeedShape feed_shape(const Dataset::Header& data) {
  const bool classes = data.task == LearningTask::classification;
  return {.features = data.cols * (data.storage == Storage::u8 ? 1 : sizeof(float)),
          .target = classes ? sizeof(std::int32_t) : data.targets.size() * sizeof(float),
          .cols = data.cols};
}

std::size_t TableFeed::slot_bytes(const FeedShape& shape, std::size_t rows) {
  return Block::aligned(rows * shape.target) + Block::aligned(rows * shape.features);
}

std::size_t TableFeed::bytes_there(const FeedShape& shape, std::size_t rows) {
  return 2 * Block::aligned(shape.cols * sizeof(float)) + kSlots * slot_bytes(shape, rows);
}

std::size_t TableFeed::bytes_staged(const FeedShape& shape, std::size_t rows) {
  return kSlots * slot_bytes(shape, rows);
}

TableFeed::TableFeed(const kern::Memory& memory, const DataView& data, std::size_t rows,
                     std::byte* there, std::byte* staging)
    : feed_(kern::feed_of(memory)),
      data_(data),
      shape_(feed_shape(data)),
      targets_(Block::aligned(rows * shape_.target)),
      slot_(slot_bytes(shape_, rows)),
      staging_(staging) {
  const std::size_t scaling = shape_.cols * sizeof(float);
  memory.put(there, data.shift, scaling);
  shift_ = reinterpret_cast<const float*>(there);
  there += Block::aligned(scaling);
  memory.put(there, data.scale, scaling);
  scale_ = reinterpret_cast<const float*>(there);
  there_ = there + Block::aligned(scaling);
  for (int slot = 0; slot < kSlots; ++slot) feed_.given_back(slot);
}

TableFeed::~TableFeed() {
  // Whoever has the memory next must not find a copy in it that was asked for and not taken.
  try {
    for (; taken_ < asked_; ++taken_) {
      feed_.arrived(slot_of(taken_));
      feed_.vacated(slot_of(taken_));
    }
  } catch (const kern::DeviceError&) {
    return;  // a device that failed copies no more
  }
}

void TableFeed::ask(std::span<const std::uint32_t> rows) {
  const int slot = slot_of(asked_);
  if (asked_ >= kSlots) feed_.vacated(slot);
  ++asked_;
  const auto offset = static_cast<std::ptrdiff_t>(slot_) * slot;
  std::byte* const to = staging_ + offset;
  const std::byte* const features = data_.u8 != nullptr ? bytes_of(data_.u8) : bytes_of(data_.f32);
  const std::byte* const targets =
      data_.labels != nullptr ? bytes_of(data_.labels) : bytes_of(data_.targets);
  std::byte* target = to;
  std::byte* feature = to + targets_;
  for (const std::uint32_t row : rows) {
    std::memcpy(feature, features + row * shape_.features, shape_.features);
    feature += shape_.features;
    if (shape_.target == 0) continue;
    std::memcpy(target, targets + row * shape_.target, shape_.target);
    target += shape_.target;
  }
  feed_.begin(slot, there_ + offset, to, static_cast<std::size_t>(feature - to));
}

ResidentTable TableFeed::take() {
  const int slot = slot_of(taken_++);
  feed_.arrived(slot);
  const std::byte* const at = there_ + static_cast<std::ptrdiff_t>(slot_) * slot;
  ResidentTable table{.shift = shift_, .scale = scale_};
  (data_.u8 != nullptr ? void(table.u8 = reinterpret_cast<const std::uint8_t*>(at + targets_))
                       : void(table.f32 = reinterpret_cast<const float*>(at + targets_)));
  if (data_.labels != nullptr)
    table.labels = reinterpret_cast<const std::int32_t*>(at);
  else if (data_.targets != nullptr)
    table.targets = reinterpret_cast<const float*>(at);
  return table;
}

void TableFeed::give_back() { feed_.given_back(slot_of(taken_ - 1)); }

}  // namespace nn
