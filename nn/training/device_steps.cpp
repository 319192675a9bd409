#include "nn/training/device_steps.h"

#include <algorithm>

#include "nn/data/block.h"

namespace nn {
namespace {

template <class T>
std::size_t bytes_of(std::size_t count) {
  return Block::aligned(count * sizeof(T));
}

/// Returns the address of `count` values at `at`, and moves `at` behind them.
template <class T>
T* next(std::byte*& at, std::size_t count) {
  auto* begin = reinterpret_cast<T*>(at);
  at += bytes_of<T>(count);
  return begin;
}

std::size_t rows_of_run(std::int32_t batch, const Augment& augment) {
  return static_cast<std::size_t>(DeviceSteps::most_steps(batch, augment)) *
         static_cast<std::size_t>(batch);
}

}  // namespace

int DeviceSteps::most_steps(std::int32_t batch, const Augment& augment) {
  // CUDA copies up to 64 KiB of pageable memory without waiting for the device.
  constexpr int kBytes = 1 << 16, kSteps = 256;
  const std::size_t row = moves(augment) ? sizeof(kern::ImageMove) : sizeof(std::uint32_t);
  return std::clamp(kBytes / static_cast<int>(row) / batch, 1, kSteps);
}

std::size_t DeviceSteps::bytes(std::int32_t batch, const Augment& augment) {
  const std::size_t rows = rows_of_run(batch, augment);
  return bytes_of<kern::StepBuffer>(1) + bytes_of<std::uint32_t>(rows) +
         bytes_of<kern::StepNumbers>(static_cast<std::size_t>(most_steps(batch, augment))) +
         (moves(augment) ? bytes_of<kern::ImageMove>(rows) : 0);
}

DeviceSteps::DeviceSteps(const kern::Memory& memory, const StepPlan& plan, std::int64_t number,
                         kern::StepBuffer* step_buffer)
    : memory_(memory) {
  auto* at = reinterpret_cast<std::byte*>(step_buffer);
  const std::size_t rows = rows_of_run(plan.batch, plan.augment);
  step_buffer_ = next<kern::StepBuffer>(at, 1);
  rows_ = next<std::uint32_t>(at, rows);
  numbers_ =
      next<kern::StepNumbers>(at, static_cast<std::size_t>(most_steps(plan.batch, plan.augment)));
  if (moves(plan.augment)) {
    mover_.emplace(plan.augment, plan.stream);
    moves_ = next<kern::ImageMove>(at, rows);
  }
  header_ = {.rows = rows_,
             .moves = moves_,
             .numbers = numbers_,
             .batch = static_cast<std::uint32_t>(plan.batch),
             .step = static_cast<std::uint32_t>(number),
             .in_order = plan.fed ? 1U : 0U};
  memory_.put(step_buffer_, &header_, sizeof header_);
}

void DeviceSteps::upload(std::span<const std::uint32_t> rows,
                         std::span<const kern::StepNumbers> numbers, std::int64_t epoch) {
  header_.before = uploaded_;
  uploaded_ += static_cast<std::uint32_t>(numbers.size());
  memory_.put(step_buffer_, &header_, offsetof(kern::StepBuffer, sums));
  memory_.put(rows_, rows.data(), rows.size_bytes());
  memory_.put(numbers_, numbers.data(), numbers.size_bytes());
  if (!mover_) return;
  drawn_.resize(rows.size());
  std::ranges::transform(rows, drawn_.begin(),
                         [&](std::uint32_t row) { return mover_->move(row, epoch); });
  memory_.put(moves_, drawn_.data(), drawn_.size() * sizeof(kern::ImageMove));
}

kern::StepSums DeviceSteps::sums() const {
  kern::StepSums sums;
  memory_.get(&sums, &step_buffer_->sums, sizeof sums);
  return sums;
}

}  // namespace nn
