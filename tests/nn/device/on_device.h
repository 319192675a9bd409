#pragma once
// Networks and tables copied to the device under test.

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "nn/data/data_view.h"
#include "nn/model/init.h"
#include "nn/model/slab.h"
#include "nn/training/train.h"
#include "tests/kernels/device.h"
#include "tests/nn/nets.h"

namespace device_test {

inline const kern::Kernels<float>& kernels(kern::Precision precision = kern::Precision::f32) {
  return kern::test::device().kernels(precision);
}
inline const kern::Memory& memory() { return *kernels().memory; }

/// A copy of some values in the device's memory.
class There {
 public:
  explicit There(std::size_t bytes)
      : size_(bytes), at_(static_cast<std::byte*>(memory().allocate(bytes))) {}
  template <class T>
  explicit There(std::span<const T> values) : There(values.size_bytes()) {
    memory().put(at_, values.data(), values.size_bytes());
  }
  template <class T>
  explicit There(const std::vector<T>& values) : There(std::span<const T>(values)) {}
  There(There&& other) noexcept : size_(other.size_), at_(std::exchange(other.at_, nullptr)) {}
  There& operator=(There&&) = delete;
  ~There() {
    if (at_ != nullptr) memory().release(at_);
  }

  template <class T = std::byte>
  [[nodiscard]] T* at() const {
    return reinterpret_cast<T*>(at_);
  }
  template <class T>
  [[nodiscard]] std::vector<T> back() const {
    std::vector<T> here(size_ / sizeof(T));
    memory().get(here.data(), at_, size_);
    return here;
  }

 private:
  std::size_t size_;
  std::byte* at_;
};

/// A network there.
class Net {
 public:
  explicit Net(const nn::ParamSlab& from)
      : there_(from.bytes()), slab(from.header(), there_.at()) {}

  [[nodiscard]] nn::ParamSlab back() const {
    nn::ParamSlab here(slab.header());
    memory().get(here.bytes().data(), there_.at(), here.bytes().size());
    return here;
  }

 private:
  There there_;

 public:
  nn::ParamSlab slab;  ///< a view
};

/// A table whose arrays lie there.
class Rows {
 public:
  explicit Rows(const nn_test::Table& table, bool numbers = false)
      : x_(table.x),
        shift_(table.shift),
        scale_(table.scale),
        labels_(table.labels),
        targets_(table.targets),
        view_(table.view(numbers)) {
    table_ = {.f32 = x_.at<float>(),
              .shift = shift_.at<float>(),
              .scale = scale_.at<float>(),
              .labels = numbers ? nullptr : labels_.at<std::int32_t>(),
              .targets = numbers ? targets_.at<float>() : nullptr};
  }
  /// With the shape that a network takes.
  [[nodiscard]] nn::DataView view(const nn::ModelSpec& spec) const {
    nn::DataView view = view_;
    view.shape = spec.input;
    view.training = view.rows;
    view.f32 = view.shift = view.scale = nullptr;
    view.resident = &table_;
    return view;
  }

 private:
  There x_, shift_, scale_, labels_, targets_;
  nn::ResidentTable table_;
  nn::DataView view_;
};

inline nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& h) {
  nn::ParamSlab slab(nn::slab_header(spec, h.optimizer));
  nn::init_weights(slab, 11);
  return slab;
}

inline nn::DataView here(const nn_test::Table& table, const nn::ModelSpec& spec,
                         bool numbers = false) {
  nn::DataView view = table.view(numbers);
  view.shape = spec.input;
  view.training = view.rows;
  return view;
}

}  // namespace device_test
