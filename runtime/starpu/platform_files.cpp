#include "runtime/starpu/platform_files.h"

#include <starpu.h>

#include <string>

#include "base/text.h"

namespace rt::inline v0::detail {

namespace {

/// Seconds of every task come from our own models, so a host's speed is never used.
std::string host(const std::string& name, const std::string& inside = "") {
  return base::cat("  <host id=\"", name, "\" speed=\"1Gf\">", inside, "</host>\n");
}

std::string gpu(int index) { return base::cat("CUDA", index); }

std::string link(const std::string& name, double bandwidth, double latency) {
  return base::cat("  <link id=\"", name, "\" bandwidth=\"", base::format_double(bandwidth),
                   "Bps\" latency=\"", base::format_double(latency), "s\"/>\n");
}

std::string route(const std::string& from, const std::string& to, const std::string& first,
                  const std::string& second) {
  return base::cat("  <route src=\"", from, "\" dst=\"", to,
                   "\" symmetrical=\"NO\"><link_ctn id=\"", first, "\"/>", "<link_ctn id=\"",
                   second, "\"/></route>\n");
}

/// StarPU keeps a core for each GPU.
std::string hosts(const Platform& platform) {
  std::string text = host("MAIN") + host("RAM");
  for (int i = 0; i < platform.cpu.count + platform.gpu.count; ++i)
    text += host(base::cat("CPU", i));
  for (int i = 0; i < platform.gpu.count; ++i) {
    text +=
        host(gpu(i), base::cat("<prop id=\"model\" value=\"GPU\"/><prop id=\"memsize\" value=\"",
                               platform.gpu.memory, "\"/><prop id=\"memcpy_peer\" value=\"1\"/>"));
  }
  return text;
}

std::string ways(const Platform& platform) {
  const DeviceModel& device = platform.gpu;
  if (device.count == 0) return "";
  std::string links = link("shared", device.link * device.count, 0);
  std::string routes;
  for (int i = 0; i < device.count; ++i) {
    links += link(base::cat("to ", gpu(i)), device.link, device.latency);
    links += link(base::cat("from ", gpu(i)), device.link, device.latency);
    routes += route("RAM", gpu(i), "shared", base::cat("to ", gpu(i)));
    routes += route(gpu(i), "RAM", base::cat("from ", gpu(i)), "shared");
    for (int j = 0; j < device.count; ++j)
      if (i != j)
        routes += route(gpu(i), gpu(j), base::cat("from ", gpu(i)), base::cat("to ", gpu(j)));
  }
  return links + routes;
}

std::string description(const Platform& platform) {
  return base::cat(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n",
      "<platform version=\"4.1\">\n <config>\n",
      "  <prop id=\"network/TCP-gamma\" value=\"-1\"/>\n",
      "  <prop id=\"network/latency-factor\" value=\"1\"/>\n",
      "  <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n",
      "  <prop id=\"network/weight-S\" value=\"0.0\"/>\n",
      "  <prop id=\"network/crosstraffic\" value=\"0\"/>\n </config>\n",
      " <zone id=\"machine\" routing=\"Full\">\n", hosts(platform), ways(platform),
      " </zone>\n</platform>\n");
}

/// A table of StarPU's: from every memory to every memory, main memory first.
std::string table(int memories, double between) {
  std::string text = "# from each memory to each\n";
  for (int from = 0; from < STARPU_MAXNODES; ++from) {
    for (int to = 0; to < STARPU_MAXNODES; ++to) {
      const bool there = from < memories && to < memories;
      text += to > 0 ? "\t" : "";
      text += !there ? "nan" : from == to ? "0.0" : base::format_double(between);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

void write_platform_files(const Platform& platform, const base::Path& folder) {
  const base::Path bus = folder / "bus";
  base::make_folder(bus);
  const auto write = [&](const char* kind, const std::string& text) {
    base::write_file_atomic(bus / base::cat(kPlatformName, '.', kind), text,
                            base::Durability::cached);
  };
  constexpr double kMega = 1e6, kMicro = 1e-6;
  const DeviceModel& device = platform.gpu;
  const int memories = 1 + device.count;
  write("config", "# the folder that StarPU looks for is the one with this file\n");
  write("platform.v4.xml", description(platform));
  write("bandwidth", table(memories, device.link / kMega));
  write("latency", table(memories, device.latency / kMicro));
}

}  // namespace rt::inline v0::detail
