// The trainings of `trellis bench networks`: networks, data and hyperparameters, as values that we
// and the rivals build the same networks from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/data/data_spec.h"
#include "nn/data/dataset.h"
#include "nn/model/spec.h"
#include "nn/training/hyper.h"

namespace bench {

/// A dense layer of `units`, or with a kernel a convolution (valid padding, stride 1) that a max
/// pool of 2 follows; each with ReLU.
struct Layer {
  int units = 0;
  int kernel = 0;
};

struct Workload {
  std::string name;
  bool images = true;                    ///< Fashion-MNIST, or handwritten digits as 64 numbers
  std::vector<std::vector<Layer>> nets;  ///< trained at the same time; ten classes follow
  int batch = 64, epochs = 1, workers = 1;
  int rows = 0;        ///< of the training part; 0: all
  bool swept = false;  ///< also measured as whole programs (whole.h); dense layers of equal width
};

/// Those whose name is in the list, commas between; empty: all. Throws base::Error (usage) with the
/// nearest name.
[[nodiscard]] std::vector<Workload> chosen_workloads(std::string_view names);

[[nodiscard]] nn::DataSpec data_of(const Workload& workload, bool quick);
[[nodiscard]] nn::ModelSpec network_of(const std::vector<Layer>& layers,
                                       const nn::Dataset::Header& data);
/// Adam at 0.001 and cross entropy, not completed.
[[nodiscard]] nn::Hyper hyper_of(const Workload& workload);

/// Whether a rival program has something to say about this workload that the others do not.
[[nodiscard]] bool plays(const Workload& workload, std::string_view rival);

/// Writes the workload and its rows for rival programs: `path` and, beside it, `path`.x and
/// `path`.y (training rows, then those of the part that is `scored`, scaled; f32 and i32).
void write_job(const Workload& workload, const nn::DataSpec& source, nn::Part scored,
               const std::string& path);

}  // namespace bench
