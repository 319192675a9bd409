#include "bench/platform.h"

#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/new_file.h"
#include "base/text.h"
#include "bench/measure.h"
#include "bench/peak.h"
#include "bench/process.h"
#include "runtime/matrix.h"

namespace bench {

namespace {

constexpr std::size_t kLargeProduct = 512, kSmallProduct = 32;  ///< rows of square matrices

std::string three_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

/// Products of that size in a second, of all workers together.
double products(int workers, double seconds, std::size_t n) {
  std::vector<rt::Matrix<float>> all;
  for (int i = 0; i < 3 * workers; ++i)
    all.push_back(rt::Matrix<float>::generate(n, n, [](auto, auto) { return 0.5f; }));
  const int size = static_cast<int>(n);
  return rate(workers, seconds, [&](int worker) {
    const auto at = 3 * static_cast<std::size_t>(worker);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0f, all[at].data(),
                size, all[at + 1].data(), size, 0.0f, all[at + 2].data(), size);
    return 1.0;
  });
}

double flops_of(std::size_t n) { return 2.0 * static_cast<double>(n * n * n); }

/// The hyperbola through a large and a small product, with all cores at work.
rt::DeviceModel measured_cores(const Options& options) {
  const int workers = workers_or_cores(options.workers);
  const double seconds = options.quick ? 0.05 : 1;
  openblas_set_num_threads(1);
  rt::DeviceModel cores;
  cores.count = workers;
  const double large = workers / products(workers, seconds, kLargeProduct);
  const double small = workers / products(workers, seconds, kSmallProduct);
  cores.peak = flops_of(kLargeProduct) / large;
  cores.half = std::max(1.0, small * cores.peak - flops_of(kSmallProduct));
  cores.launch = 0;  // a part of `half`
  const std::size_t floats = options.quick ? std::size_t{1} << 22 : std::size_t{1} << 25;
  std::vector<rt::Matrix<float>> memory;
  for (int i = 0; i < workers; ++i)
    memory.push_back(rt::Matrix<float>::generate(1, floats, [](auto, auto) { return 0.5f; }));
  std::vector<float> sinks(static_cast<std::size_t>(workers) * 16);
  cores.bandwidth = rate(workers, seconds,
                         [&](int worker) {
                           const auto at = static_cast<std::size_t>(worker);
                           return read_all(std::as_const(memory[at]).span(), sinks[at * 16]);
                         }) /
                    workers;
  cores.memory = base::usable_memory();
  return cores;
}

struct LinkTimes {
  Sample latency, bandwidth, parcel;
};

LinkTimes measured_link(const Options& options) {
  const auto program = built_for_bench("trellis-bench-naps");
  if (!program) throw base::Error(base::Errc::internal, "trellis-bench-naps is missing");
  const Finished done =
      run_program({program->string(), "link", options.quick ? "500" : "5000",
                   options.quick ? "4000000" : "64000000", options.quick ? "2" : "5",
                   base::cat("--trellis-hosts=", options.hosts)});
  if (done.exit_code == base::exit_code(base::Errc::no_device))
    throw base::Error(
        base::Errc::no_device,
        base::cat("--hosts: no agent came from '", options.hosts,
                  "', expected a machine that `ssh ", options.hosts,
                  " true` reaches without a password and that has ", program->string()));
  must_end_well(done, "trellis-bench-naps");
  std::istringstream printed(done.output);
  std::vector<double> latency, bandwidth, parcel;
  for (double a = 0, b = 0, c = 0; printed >> a >> b >> c;) {
    latency.push_back(a);
    bandwidth.push_back(b);
    parcel.push_back(c);
  }
  return {sample_of(latency), sample_of(bandwidth), sample_of(parcel)};
}

}  // namespace

std::string platform_text(const rt::Platform& platform) {
  const rt::DeviceModel& cpu = platform.cpu;
  const rt::NodesModel& nodes = platform.nodes;
  return base::cat(
      "name: ", platform.name, "\ncpu: {count: ", cpu.count, ", peak: ", three_digits(cpu.peak),
      ", half: ", three_digits(cpu.half), ", launch: ", three_digits(cpu.launch),
      ", bandwidth: ", three_digits(cpu.bandwidth), ", memory: ", cpu.memory >> 20, "MiB}\n",
      "nodes: {count: ", nodes.count, ", link: {latency: ", three_digits(nodes.link.latency),
      ", bandwidth: ", three_digits(nodes.link.bandwidth), "}}\n",
      "runtime: {parcel: ", three_digits(platform.runtime.parcel), "}\n");
}

std::vector<Case> write_platform(const Options& options) {
  const LinkTimes link = measured_link(options);
  rt::Platform platform{.name = base::cat(options.nodes, " nodes like ", base::host_name()),
                        .cpu = measured_cores(options),
                        .gpu = {}};
  platform.nodes = {.count = options.nodes,
                    .link = {.latency = link.latency.median, .bandwidth = link.bandwidth.median},
                    .levels = {}};
  platform.runtime.parcel = link.parcel.median;
  base::write_file_atomic(options.platform, platform_text(platform));
  std::fprintf(stderr, "%s: written, for trellis plan and trellis simulate --platform\n",
               options.platform.c_str());
  const auto figure = [&](const char* name, const Sample& sample, double scale, const char* unit) {
    Case c{base::cat(name, " ", options.hosts), scale * sample.median, unit};
    c.spread = sample.spread;
    return c;
  };
  return {figure("latency, with an empty task on", link.latency, 1e6, "us"),
          figure("bandwidth from", link.bandwidth, 1e-6, "MB/s"),
          figure("an empty task of many on", link.parcel, 1e6, "us")};
}

}  // namespace bench
