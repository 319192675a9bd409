#include "bench/workloads.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "nn/data/load.h"

namespace bench {

namespace {

constexpr int kDigitClasses = 10, kQuickWorkloadRows = 4000, kNarrowest = 16, kWidest = 256,
              kNetworkWidths = 32;

std::vector<Layer> dense(std::initializer_list<int> units) {
  std::vector<Layer> layers;
  for (const int count : units) layers.push_back({count});
  return layers;
}

std::vector<Workload> all_workloads() {
  const std::vector<Layer> lenet{{32, 5}, {64, 5}, {512}};
  const std::vector<Layer> wide(4, Layer{2048});
  std::vector<std::vector<Layer>> widths;
  for (int i = 0; i < kNetworkWidths; ++i) {
    const int width = kNarrowest + (kWidest - kNarrowest) * i / (kNetworkWidths - 1);
    widths.push_back(dense({width, width}));
  }
  return {
      {.name = "mlp", .nets = {dense({256, 128})}, .epochs = 3},
      {.name = "lenet", .nets = {lenet}},
      {.name = "lenet-two", .nets = {lenet, lenet}, .workers = 2},
      {.name = "tabular", .images = false, .nets = {dense({64, 64})}, .batch = 32, .epochs = 40},
      {.name = "deep", .nets = {std::vector<Layer>(16, Layer{32})}, .epochs = 2},
      {.name = "wide", .nets = {wide}, .batch = 256, .rows = 10'000},
      {.name = "wide-two", .nets = {wide}, .batch = 256, .workers = 2, .rows = 10'000},
      {.name = "eight", .nets = {8, dense({64})}, .workers = 2, .swept = true},
      {.name = "widths",
       .images = false,
       .nets = widths,
       .epochs = 10,
       .workers = 2,
       .swept = true},
  };
}

}  // namespace

std::vector<Workload> chosen_workloads(std::string_view names) {
  const std::vector<Workload> all = all_workloads();
  std::vector<std::string> known;
  for (const Workload& workload : all) known.push_back(workload.name);
  std::vector<Workload> chosen;
  for (const std::size_t at : places_of(names, known, "there is no network '", "' to train"))
    chosen.push_back(all[at]);
  return chosen;
}

nn::DataSpec data_of(const Workload& workload, bool quick) {
  nn::DataSpec source;
  if (workload.images) {
    source.kind = nn::DataKind::idx;
    source.path = nn::locate_data("fashion-mnist", ".");
    source.scale = nn::Scale::unit;
    source.rows = quick ? kQuickWorkloadRows : workload.rows;
  } else {
    source.path =
        (base::Path(rivals_folder()).parent_path().parent_path() / "experiments/data/digits.csv.gz")
            .string();
    source.targets = {"-1"};
  }
  source.split.valid = 0;
  return source;
}

nn::ModelSpec network_of(const std::vector<Layer>& layers, const nn::Dataset::Header& data) {
  nn::ModelSpec spec{.input = data.input, .layers = {}};
  bool flat = !data.input.is_image();
  for (const Layer& layer : layers) {
    const std::string number = std::to_string(spec.layers.size());
    const nn::FieldValue units = std::int64_t{layer.units};
    if (layer.kernel > 0) {
      spec.layers.push_back(
          {"conv2d", "conv" + number, {{"units", units}, {"kernel", std::int64_t{layer.kernel}}}});
      spec.layers.push_back({"max_pool", "pool" + number, {}});
      continue;
    }
    if (!flat) spec.layers.push_back({"flatten", "flat", {}});
    flat = true;
    spec.layers.push_back({"dense", "fc" + number, {{"units", units}, {"activation", "relu"}}});
  }
  return nn::with_output(spec, kDigitClasses);
}

nn::Hyper hyper_of(const Workload& workload) {
  nn::Hyper hyper{.loss = {"cross_entropy", {}},
                  .optimizer = {"adam", {{"lr", 0.001}}},
                  .batch = workload.batch,
                  .shards = workload.nets.size() == 1 && workload.workers > 1 ? 0 : 1,
                  .shuffle = 1};
  return nn::complete(hyper);
}

bool plays(const Workload& workload, std::string_view rival) {
  if (rival == "loader") return workload.name == "mlp";
  if (rival == "vmap") return workload.name == "eight";
  // A compiler that knows no fast convolution for this processor takes minutes an epoch.
  if (rival == "jax") return workload.nets.front().front().kernel == 0;
  return true;
}

void write_job(const Workload& workload, const nn::DataSpec& source, nn::Part scored,
               const std::string& path) {
  const nn::Dataset data = nn::load_dataset(source);
  std::string x, y;
  const auto append = [](std::string& to, auto value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const nn::Part part : {nn::Part::train, scored}) {
    for (const std::uint32_t row : data.part(part)) {
      for (std::size_t col = 0; col < data.cols(); ++col) {
        const std::size_t at = row * data.cols() + col;
        const float raw =
            data.x_u8().empty() ? data.x_f32()[at] : static_cast<float>(data.x_u8()[at]);
        append(x, (raw - data.shift()[col]) * data.scale()[col]);
      }
      append(y, data.labels()[row]);
    }
  }
  base::write_file_atomic(path + ".x", x);
  base::write_file_atomic(path + ".y", y);
  nlohmann::json job{{"train_rows", data.part(nn::Part::train).size()},
                     {"columns", data.cols()},
                     {"side", workload.images ? 28 : 0},
                     {"batch", workload.batch},
                     {"epochs", workload.epochs},
                     {"cores", workload.workers},
                     {"classes", kDigitClasses},
                     {"nets", nlohmann::json::array()}};
  for (const std::vector<Layer>& layers : workload.nets) {
    nlohmann::json net = nlohmann::json::array();
    for (const Layer& layer : layers) net.push_back({layer.units, layer.kernel});
    job["nets"].push_back(std::move(net));
  }
  base::write_file_atomic(path, job.dump());
}

}  // namespace bench
