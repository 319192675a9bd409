#include "nn/training/recorded_step.h"

#include <exception>
#include <new>

#include "kernels/feed.h"

namespace nn {

RecordedStep::RecordedStep(const kern::Memory& memory) : recorder_(kern::recorder_of(memory)) {}

RecordedStep::~RecordedStep() { forget(); }

void RecordedStep::forget() noexcept {
  if (recording_ != nullptr) recorder_.release(recording_);
  recording_ = nullptr;
}

void RecordedStep::run() const { recorder_.run(recording_); }

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
    return;  // the exception under way says more
  }
}

StepKey step_key(const kern::Kernels<float>& kernels, const ModelSpec& spec, const Hyper& hyper,
                 const ResidentTable& table, const std::byte* arena) {
  StepKey key{&kernels, spec, hyper, table, arena};
  key.hyper.lr.clear();
  key.hyper.optimizer.fields["lr"] = 1.0;
  return key;
}

}  // namespace nn
