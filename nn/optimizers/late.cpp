#include "nn/optimizers/late.h"

#include <memory>
#include <utility>
#include <vector>

#include "nn/optimizers/made_of_others.h"

namespace nn {
namespace {

constexpr std::string_view kEnding = "+late";

template <class T>
class LateUpdate final : public Update<T> {
 public:
  explicit LateUpdate(std::unique_ptr<Update<T>> own) : own_(std::move(own)) {}

  [[nodiscard]] bool by_layer() const override { return own_->by_layer(); }

  void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count, std::size_t stride,
           T* weights, const T* gradient, T* slots, std::int64_t step, double lr) const override {
    if (step > 1)
      own_->run(kernels, exec, count, stride, weights, slots, slots + stride, step - 1, lr);
    kernels.scaled_copy(exec, count, T(1), gradient, slots);
  }

  [[nodiscard]] kern::StepNumbers numbers(std::int64_t step, double lr) const override {
    return own_->numbers(step > 1 ? step - 1 : 1, lr);
  }

  void begin_aged(Ages<T>& ages, std::int64_t step, double lr) const override {
    own_->begin_aged(ages, step - 1, lr);
  }

  void run_aged(const kern::Kernels<T>& kernels, kern::Exec& exec, const Ages<T>& ages,
                const SlabPart& part, std::size_t stride, T* weights, const T* gradient, T* slots,
                std::int64_t step, double lr) const override {
    if (step > 1)
      own_->run_aged(kernels, exec, ages, part, stride, weights, slots, slots + stride, step - 1,
                     lr);
    kernels.scaled_copy(exec, part.count, T(1), gradient + part.offset, slots + part.offset);
  }

 private:
  std::unique_ptr<Update<T>> own_;
};

class LateOptimizer final : public Optimizer {
 public:
  explicit LateOptimizer(const Optimizer& own) : own_(own), info_(own.info()) {
    info_.kind = late_kind(own.info().kind);
    powers_.push_back(1);
    powers_.insert(powers_.end(), own.slot_powers().begin(), own.slot_powers().end());
  }

  [[nodiscard]] const Optimizer& own() const { return own_; }
  [[nodiscard]] const KindInfo& info() const override { return info_; }
  [[nodiscard]] int slots(const Fields& fields) const override { return 1 + own_.slots(fields); }
  [[nodiscard]] std::span<const int> slot_powers() const override { return powers_; }
  [[nodiscard]] std::unique_ptr<Update<float>> bind(const Fields& fields, float) const override {
    return std::make_unique<LateUpdate<float>>(own_.bind(fields, float{}));
  }
  [[nodiscard]] std::unique_ptr<Update<double>> bind(const Fields& fields, double) const override {
    return std::make_unique<LateUpdate<double>>(own_.bind(fields, double{}));
  }

 private:
  const Optimizer& own_;
  KindInfo info_;
  std::vector<int> powers_;
};

}  // namespace

std::string late_kind(std::string_view kind) { return std::string(kind).append(kEnding); }

std::string_view kind_of_late(std::string_view word) { return without_ending(word, kEnding); }

const Optimizer& late_optimizer(const Optimizer& optimizer) {
  return made_of<LateOptimizer>(optimizer);
}

}  // namespace nn
