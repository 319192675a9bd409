#include "nn/course.h"

#include <algorithm>
#include <exception>
#include <new>

#include "kernels/feed.h"
#include "nn/data/block.h"

namespace nn {
namespace {

template <class T>
std::size_t bytes_of(std::size_t count) {
  return Block::aligned(count * sizeof(T));
}

/// The next `count` values of the memory that begins at `at`.
template <class T>
T* next(std::byte*& at, std::size_t count) {
  auto* place = reinterpret_cast<T*>(at);
  at += bytes_of<T>(count);
  return place;
}

std::size_t rows_of_run(const Hyper& hyper) {
  return static_cast<std::size_t>(Course::most_steps(hyper)) *
         static_cast<std::size_t>(hyper.batch);
}

}  // namespace

int Course::most_steps(const Hyper& hyper) {
  constexpr int kBytes = 1 << 16, kSteps = 256;  // lists that CUDA copies before anything waits
  const std::size_t row =
      nn::moves(hyper.augment) ? sizeof(kern::ImageMove) : sizeof(std::uint32_t);
  return std::clamp(kBytes / static_cast<int>(row) / hyper.batch, 1, kSteps);
}

std::size_t Course::bytes(const Hyper& hyper) {
  const std::size_t rows = rows_of_run(hyper);
  return bytes_of<kern::Course>(1) + bytes_of<std::uint32_t>(rows) +
         bytes_of<kern::StepNumbers>(static_cast<std::size_t>(most_steps(hyper))) +
         (nn::moves(hyper.augment) ? bytes_of<kern::ImageMove>(rows) : 0);
}

Course::Course(const kern::Memory& memory, const Hyper& hyper, std::int64_t step, bool fed,
               std::byte* there)
    : memory_(memory),
      there_(next<kern::Course>(there, 1)),
      rows_(next<std::uint32_t>(there, rows_of_run(hyper))),
      numbers_(next<kern::StepNumbers>(there, static_cast<std::size_t>(most_steps(hyper)))),
      moves_(nn::moves(hyper.augment) ? next<kern::ImageMove>(there, rows_of_run(hyper))
                                      : nullptr) {
  here_.rows = rows_;
  here_.moves = moves_;
  here_.numbers = numbers_;
  here_.batch = static_cast<std::uint32_t>(hyper.batch);
  here_.step = static_cast<std::uint32_t>(step);
  here_.in_order = fed ? 1 : 0;
  memory_.put(there_, &here_, sizeof here_);
}

void Course::bring(std::span<const std::uint32_t> rows, std::span<const kern::StepNumbers> numbers,
                   const Mover* mover, std::int64_t epoch) {
  here_.before = brought_;
  brought_ += static_cast<std::uint32_t>(numbers.size());
  memory_.put(there_, &here_, offsetof(kern::Course, sums));
  memory_.put(rows_, rows.data(), rows.size_bytes());
  memory_.put(numbers_, numbers.data(), numbers.size_bytes());
  if (mover == nullptr) return;
  moves_here_.resize(rows.size());
  std::ranges::transform(rows, moves_here_.begin(),
                         [&](std::uint32_t row) { return mover->move(row, epoch); });
  memory_.put(moves_, moves_here_.data(), moves_here_.size() * sizeof(kern::ImageMove));
}

kern::CourseSums Course::sums() const {
  kern::CourseSums sums;
  memory_.get(&sums, &there_->sums, sizeof sums);
  return sums;
}

RecordedStep::RecordedStep(const kern::Memory& memory) : recorder_(kern::recorder_of(memory)) {}

RecordedStep::~RecordedStep() { forget(); }

void RecordedStep::forget() noexcept {
  if (recording_ != nullptr) recorder_.release(recording_);
  recording_ = nullptr;
}

void RecordedStep::run() const { recorder_.run(recording_); }

StepKey step_key(const kern::Kernels<float>& kernels, const ModelSpec& spec, const Hyper& hyper,
                 const ResidentTable& table, const std::byte* arena) {
  StepKey key{&kernels, spec, hyper, table, arena};
  key.hyper.lr.clear();
  key.hyper.optimizer.fields["lr"] = 1.0;
  return key;
}

bool RecordedStep::begin() const {
  try {
    recorder_.begin();
    return true;
  } catch (const kern::DeviceError&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool RecordedStep::end() {
  try {
    recording_ = recorder_.end();
  } catch (const kern::DeviceError&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  generation_ = recorder_.generation();
  return true;
}

void RecordedStep::abandon() const noexcept {
  try {
    if (void* half = recorder_.end(); half != nullptr) recorder_.release(half);
  } catch (const std::exception&) {
    return;  // what is thrown says more
  }
}

}  // namespace nn
