#include "hpo/study/platform.h"

#include <filesystem>

#include "base/file.h"
#include "hpo/study/checker.h"
#include "hpo/study/scalars.h"
#include "hpo/study/study_error.h"
#include "hpo/study/yaml_reader.h"

namespace hpo {

namespace study {

namespace {

constexpr double kMostDevices = 200;  // of cores and GPUs together, as StarPU is built
constexpr double kMostGpus = 8;
constexpr double kLeastMemory = 1ULL << 20, kMostMemory = 1ULL << 50;  // bytes

Field positive(std::string name, std::string unit, std::string doc) {
  return {.name = std::move(name),
          .type = Type::number,
          .min = 0,
          .max = 1e20,
          .min_excluded = true,
          .required = true,
          .unit = std::move(unit),
          .doc = std::move(doc)};
}

Field seconds_field(std::string name, std::string doc) {
  return {.name = std::move(name),
          .type = Type::number,
          .min = 0,
          .max = 1,
          .required = true,
          .unit = "seconds",
          .doc = std::move(doc)};
}

std::vector<Field> device_fields(double most) {
  return {{.name = "count",
           .type = Type::integer,
           .min = 1,
           .max = most,
           .required = true,
           .unit = "devices",
           .doc = "How many there are."},
          positive("peak", "FLOPs a second", "Of one device, in products without end."),
          positive("half", "FLOPs", "A product of so many reaches half of the peak."),
          seconds_field("launch", "To begin a product."),
          positive("bandwidth", "bytes a second", "Of its own memory; a core's share of it."),
          {.name = "memory",
           .type = Type::size,
           .min = kLeastMemory,
           .max = kMostMemory,
           .required = true,
           .doc = "Of one GPU; of the machine for its cores."}};
}

std::vector<Field> gpu_fields() {
  std::vector<Field> fields = device_fields(kMostGpus);
  fields.push_back(positive("link", "bytes a second", "From main memory to a GPU, and back."));
  fields.push_back(seconds_field("latency", "Until the first byte comes."));
  return fields;
}

rt::DeviceModel read_device(const Node& node) {
  rt::DeviceModel device;
  device.count = static_cast<int>(as_integer(*node.find("count")));
  device.peak = as_number(*node.find("peak"));
  device.half = as_number(*node.find("half"));
  device.launch = as_number(*node.find("launch"));
  device.bandwidth = as_number(*node.find("bandwidth"));
  device.memory = as_bytes(*node.find("memory"));
  if (const Node* link = node.find("link")) device.link = as_number(*link);
  if (const Node* latency = node.find("latency")) device.latency = as_number(*latency);
  return device;
}

rt::Platform read_platform(const Node& root, const std::string& stem) {
  const Node checked = Checker::of_values().check(root, platform_block(), "platform");
  rt::Platform platform{.name = stem, .cpu = read_device(*checked.find("cpu")), .gpu = {}};
  if (const Node* name = checked.find("name")) {
    if (name->text.empty())
      throw StudyError(name->at, "name is empty, expected what the machine is called");
    platform.name = name->text;
  }
  if (const Node* gpu = checked.find("gpu")) platform.gpu = read_device(*gpu);
  return platform;
}

}  // namespace

const Field& platform_block() {
  static const Field kBlock{.name = "platform",
                            .type = Type::block,
                            .doc = "A machine.",
                            .fields = {{.name = "name",
                                        .type = Type::text,
                                        .otherwise = "the file's name without its ending",
                                        .doc = "What it is called."},
                                       {.name = "cpu",
                                        .type = Type::block,
                                        .required = true,
                                        .doc = "Its cores.",
                                        .fields = device_fields(kMostDevices)},
                                       {.name = "gpu",
                                        .type = Type::block,
                                        .doc = "Its GPUs, all of one kind.",
                                        .fields = gpu_fields()}}};
  return kBlock;
}

}  // namespace study

rt::Platform parse_platform(const std::string& text, const std::string& path) {
  return study::with_place(path, [&] {
    return study::read_platform(study::read_yaml(text),
                                std::filesystem::path(path).stem().string());
  });
}

rt::Platform load_platform(const std::string& path) {
  const std::string text = base::read_file(path, study::kMostBytes);
  return parse_platform(text, path);
}

}  // namespace hpo
