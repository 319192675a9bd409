#pragma once

#include <utility>

namespace rt::inline v0::detail {

/// Owns one of the counts that a T keeps of its owners: `Take` adds one, `Give` gives one back.
template <class T, void (T::*Take)() noexcept, void (T::*Give)() noexcept>
class Counted {
 public:
  Counted() noexcept = default;
  /// Owns a count that was taken already.
  explicit Counted(T* taken) noexcept : to_(taken) {}
  /// Takes one; of nothing nothing.
  static Counted of(T* counted) noexcept {
    if (counted != nullptr) (counted->*Take)();
    return Counted(counted);
  }
  Counted(const Counted& other) noexcept : Counted(of(other.to_)) {}
  Counted(Counted&& other) noexcept : to_(std::exchange(other.to_, nullptr)) {}
  Counted& operator=(Counted other) noexcept {
    std::swap(to_, other.to_);
    return *this;
  }
  ~Counted() {
    if (to_ != nullptr) (to_->*Give)();
  }
  [[nodiscard]] T* get() const noexcept { return to_; }
  T* operator->() const noexcept { return to_; }
  explicit operator bool() const noexcept { return to_ != nullptr; }

 private:
  T* to_ = nullptr;
};

}  // namespace rt::inline v0::detail
