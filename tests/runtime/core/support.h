// What the runtime's tests share: the executor under test, a small buffer type.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "runtime/runtime.h"

namespace testing_rt {

/// The same tests run under each executor: TRELLIS_TEST_EXECUTOR is "sequential" (also without it)
/// or "starpu:N", N workers.
inline rt::Config config() {
  rt::Config c;
  c.executor = rt::Executor::sequential;
  const char* asked = std::getenv("TRELLIS_TEST_EXECUTOR");
  if (asked != nullptr && std::string_view(asked).starts_with("starpu:")) {
    c.executor = rt::Executor::starpu_cpu;
    c.workers = std::atoi(asked + 7);
  }
  return c;
}

/// Workers of the executor under test; 1 for the sequential one.
inline int workers() { return std::max(config().workers, 1); }

inline bool parallel() { return config().executor != rt::Executor::sequential; }

/// A buffer of doubles with a tag in its header.
class Vec {
 public:
  struct Header {
    std::uint64_t length = 0;
    int tag = 0;
  };
  explicit Vec(Header header) : header_(header), own_(header.length), data_(own_.data()) {}
  Vec(Header header, std::byte* bytes) : header_(header), data_(reinterpret_cast<double*>(bytes)) {}
  explicit Vec(std::vector<double> values)
      : header_{values.size(), 0}, own_(std::move(values)), data_(own_.data()) {}
  Vec(Vec&& other) = default;
  Vec& operator=(Vec&& other) = default;

  [[nodiscard]] const Header& header() const { return header_; }
  [[nodiscard]] static std::size_t byte_size(const Header& h) { return h.length * sizeof(double); }
  [[nodiscard]] std::span<std::byte> bytes() { return std::as_writable_bytes(values()); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(values()); }
  [[nodiscard]] std::string describe() const {
    return "Vec[" + std::to_string(header_.length) + "]";
  }

  [[nodiscard]] std::span<double> values() { return {data_, header_.length}; }
  [[nodiscard]] std::span<const double> values() const { return {data_, header_.length}; }
  void set_tag(int tag) { header_.tag = tag; }

 private:
  Header header_;
  std::vector<double> own_;
  double* data_;
};

inline std::vector<double> copy_of(const Vec& v) { return {v.values().begin(), v.values().end()}; }

/// A runtime of the executor under test.
class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override { start(config()); }
  void start(const rt::Config& c) {
    runtime.reset();
    runtime = std::make_unique<rt::Runtime>(c);
  }
  std::unique_ptr<rt::Runtime> runtime;
};

}  // namespace testing_rt
