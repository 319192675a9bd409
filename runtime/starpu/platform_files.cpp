#include "runtime/starpu/platform_files.h"

#include <starpu.h>

#include <string>

#include "runtime/base/text.h"

namespace rt::detail {

namespace {

/// Seconds of every task come from our own models, so a host's speed is never used.
std::string host(const std::string& name, const std::string& inside = "") {
  return cat("  <host id=\"", name, "\" speed=\"1Gf\">", inside, "</host>\n");
}

std::string gpu(int index) { return cat("CUDA", index); }

std::string link(const std::string& name, double bandwidth, double latency) {
  return cat("  <link id=\"", name, "\" bandwidth=\"", format_double(bandwidth), "Bps\" latency=\"",
             format_double(latency), "s\"/>\n");
}

std::string route(const std::string& from, const std::string& to, const std::string& first,
                  const std::string& second) {
  return cat("  <route src=\"", from, "\" dst=\"", to, "\" symmetrical=\"NO\"><link_ctn id=\"",
             first, "\"/>", "<link_ctn id=\"", second, "\"/></route>\n");
}

/// StarPU keeps a core for each GPU.
std::string hosts(const Platform& platform) {
  std::string text = host("MAIN") + host("RAM");
  for (int i = 0; i < platform.cpu.count + platform.gpu.count; ++i) text += host(cat("CPU", i));
  for (int i = 0; i < platform.gpu.count; ++i) {
    text += host(gpu(i), cat("<prop id=\"model\" value=\"GPU\"/><prop id=\"memsize\" value=\"",
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
    links += link(cat("to ", gpu(i)), device.link, device.latency);
    links += link(cat("from ", gpu(i)), device.link, device.latency);
    routes += route("RAM", gpu(i), "shared", cat("to ", gpu(i)));
    routes += route(gpu(i), "RAM", cat("from ", gpu(i)), "shared");
    for (int j = 0; j < device.count; ++j)
      if (i != j) routes += route(gpu(i), gpu(j), cat("from ", gpu(i)), cat("to ", gpu(j)));
  }
  return links + routes;
}

std::string description(const Platform& platform) {
  return cat(
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
      text += !there ? "nan" : from == to ? "0.0" : format_double(between);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

void write_platform_files(const Platform& platform, const Path& folder) {
  const Path bus = folder / "bus";
  make_folder(bus);
  const auto write = [&](const char* kind, const std::string& text) {
    write_file_atomic(bus / cat(kPlatformName, '.', kind), text, Durability::cached);
  };
  constexpr double kMega = 1e6, kMicro = 1e-6;
  const DeviceModel& device = platform.gpu;
  const int memories = 1 + device.count;
  write("config", "# the folder that StarPU looks for is the one with this file\n");
  write("platform.v4.xml", description(platform));
  write("bandwidth", table(memories, device.link / kMega));
  write("latency", table(memories, device.latency / kMicro));
}

}  // namespace rt::detail
