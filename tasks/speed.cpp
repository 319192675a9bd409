// What this process computes with, and how fast at this moment.
#include <vector>

#include "base/clock.h"
#include "kernels/kernels.h"
#include "tasks/device.h"
#include "tasks/tasks.h"

namespace tasks {

std::string arithmetic(kern::Precision precision) {
  std::string words(kern::fingerprint());
  const std::string of_gpus = gpu_arithmetic();
  if (!of_gpus.empty()) words += "; " + of_gpus;
  if (precision != kern::Precision::f32)
    words += "; precision " + std::string(kern::precision_name(precision));
  return words;
}

std::string isa_lacks(std::string_view isa) {
  std::string lacking = kern::isa_lacks(isa);
  if (lacking.empty() && !kern::is_held_to(isa)) lacking = "this process computes with another one";
  return lacking;
}

std::string cores_lack(kern::Precision precision) {
  return std::string(kern::cpu_lacks(precision));
}

double product_rate() {
  constexpr double kSeconds = 0.02;
  constexpr int kM = 64, kN = 256, kK = 256;
  std::vector<float> a(kM * kK, 0.5F), b(kK * kN, 0.25F), c(kM * kN);
  kern::prepare_thread();
  kern::Exec exec;
  kern::GemmArgs<float> args{.m = kM,
                             .n = kN,
                             .k = kK,
                             .a = a.data(),
                             .lda = kK,
                             .b = b.data(),
                             .ldb = kN,
                             .c = c.data(),
                             .ldc = kN};
  base::Moment begun = base::now();
  double products = 0;
  do {
    kern::cpu_kernels().gemm(exec, args);
    ++products;
  } while (base::seconds_since(begun) < kSeconds);
  return products * 2.0 * kM * kN * kK / base::seconds_since(begun);
}

}  // namespace tasks
