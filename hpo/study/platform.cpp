#include "hpo/study/platform.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/text.h"
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
constexpr double kMostNodes = 1024;
constexpr double kMostBack = 30.0 * 24 * 3600;  // seconds
constexpr double kMostLosses = 1000;            // a second

/// Units of a rate, in seconds.
constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
    {{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86400}}};

constexpr double kMostStart = 3600;  // seconds; a program may load for minutes

/// As of 60 MB of numbers in an npy file, on such a machine.
constexpr const char* kUsualLoad = "6e7";

/// Defaults are means of 54 reports and 16 programs of a shell, on a machine with two cores.
struct ProgramTerm {
  const char* name;
  double rt::RuntimeModel::*member;
  const char* otherwise;
  const char* doc;
};
constexpr std::array kProgramTerms{
    ProgramTerm{"start", &rt::RuntimeModel::start, "0.01",
                "Until a program runs: an interpreter's own start belongs here."},
    ProgramTerm{"stop", &rt::RuntimeModel::stop, "0.012",
                "Until the worker of a program that ended or is stopped is free."},
    ProgramTerm{"report", &rt::RuntimeModel::report, "0.03",
                "Until the driver has read what a program reported."}};

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

std::vector<Field> link_fields() {
  return {seconds_field("latency", "Until the first byte comes."),
          positive("bandwidth", "bytes a second", "In each direction.")};
}

Field losses_field() {
  return {.name = "losses",
          .type = Type::text,
          .otherwise = "no node is lost",
          .text_is = "a rate such as 1 a minute (a second, a minute, an hour or a day)",
          .doc = "How many of the nodes are lost, all together."};
}

std::vector<Field> level_fields() {
  std::vector<Field> fields{{.name = "nodes",
                             .type = Type::integer,
                             .min = 1,
                             .max = kMostNodes,
                             .required = true,
                             .unit = "nodes",
                             .doc = "Of a group behind one link."}};
  for (Field& field : link_fields()) fields.push_back(std::move(field));
  return fields;
}

std::vector<Field> nodes_fields() {
  return {{.name = "count",
           .type = Type::integer,
           .min = 1,
           .max = kMostNodes,
           .required = true,
           .unit = "nodes",
           .doc = "How many there are."},
          {.name = "link",
           .type = Type::block,
           .required = true,
           .doc = "From a node to the others.",
           .fields = link_fields()},
          {.name = "levels",
           .type = Type::block,
           .count = Count::list,
           .otherwise = "one switch",
           .doc = "Groups of nodes that share a link, the smallest groups first.",
           .fields = level_fields()},
          losses_field(),
          {.name = "back",
           .type = Type::duration,
           .min = 0,
           .max = kMostBack,
           .min_excluded = true,
           .otherwise = "never",
           .doc = "Until a lost node works again."}};
}

std::vector<Field> runtime_fields() {
  Field parcel = seconds_field("parcel", "Of the driver, for each parcel.");
  Field step = seconds_field("step", "Of a worker, for each step of an optimizer.");
  parcel.required = step.required = false;
  parcel.otherwise = step.otherwise = "0";
  std::vector<Field> fields{std::move(parcel), std::move(step)};
  for (const ProgramTerm& term : kProgramTerms) {
    Field field = seconds_field(term.name, term.doc);
    field.max = kMostStart;
    field.required = false;
    field.otherwise = term.otherwise;
    fields.push_back(std::move(field));
  }
  Field load = positive("load", "bytes a second", "Of a data set that a node reads.");
  load.required = false;
  load.otherwise = kUsualLoad;
  fields.push_back(std::move(load));
  return fields;
}

/// "1 a minute", "0.5 an hour"; nothing for any other text.
std::optional<double> read_rate(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view rest(end, text.data() + text.size());
  for (const auto& [unit, seconds] : kUnits) {
    const double rate = number / seconds;
    if ((rest == base::cat(" a ", unit) || rest == base::cat(" an ", unit)) && rate <= kMostLosses)
      return rate;
  }
  return std::nullopt;
}

rt::LinkModel read_link(const Node& node) {
  return {.latency = as_number(*node.find("latency")),
          .bandwidth = as_number(*node.find("bandwidth"))};
}

/// Each group must hold whole groups of the level before.
std::vector<rt::LevelModel> read_levels(const Node& list) {
  std::vector<rt::LevelModel> levels;
  for (const Node& each : list.items) {
    const Node& nodes = *each.find("nodes");
    const int size = static_cast<int>(as_integer(nodes));
    if (!levels.empty() && (size <= levels.back().nodes || size % levels.back().nodes != 0))
      throw StudyError(
          nodes.at, base::cat("platform.nodes.levels: a group of ", size, " nodes after one of ",
                              levels.back().nodes, ", expected a multiple of ", levels.back().nodes,
                              " above it"));
    levels.push_back({.nodes = size, .link = read_link(each)});
  }
  return levels;
}

rt::NodesModel read_nodes(const Node& node) {
  rt::NodesModel nodes{.count = static_cast<int>(as_integer(*node.find("count"))),
                       .link = read_link(*node.find("link")),
                       .levels = {}};
  if (const Node* levels = node.find("levels")) nodes.levels = read_levels(*levels);
  if (const Node* losses = node.find("losses")) {
    const std::optional<double> rate = read_rate(losses->text);
    if (!rate) fail_unexpected(*losses, "platform.nodes.losses", losses_field());
    nodes.losses = *rate;
  }
  if (const Node* back = node.find("back")) nodes.back = as_seconds(*back);
  return nodes;
}

rt::RuntimeModel read_runtime(const Node* node) {
  const auto number = [&](const char* name, double otherwise) {
    const Node* const found = node != nullptr ? node->find(name) : nullptr;
    return found != nullptr ? as_number(*found) : otherwise;
  };
  rt::RuntimeModel runtime{.parcel = number("parcel", 0), .step = number("step", 0)};
  for (const ProgramTerm& term : kProgramTerms)
    runtime.*term.member = number(term.name, *base::parse_double(term.otherwise));
  runtime.load = number("load", *base::parse_double(kUsualLoad));
  return runtime;
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
  if (const Node* nodes = checked.find("nodes")) platform.nodes = read_nodes(*nodes);
  platform.runtime = read_runtime(checked.find("runtime"));
  return platform;
}

}  // namespace

const Field& platform_block() {
  static const Field kBlock{.name = "platform",
                            .type = Type::block,
                            .doc = "A machine, or equal nodes of a cluster.",
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
                                        .fields = gpu_fields()},
                                       {.name = "nodes",
                                        .type = Type::block,
                                        .otherwise = "one machine",
                                        .doc = "As many machines like it, and their network.",
                                        .fields = nodes_fields()},
                                       {.name = "runtime",
                                        .type = Type::block,
                                        .doc = "What the runtime takes beside the tasks.",
                                        .fields = runtime_fields()}}};
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
