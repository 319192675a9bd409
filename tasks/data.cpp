// Loading data.
#include <array>
#include <atomic>
#include <filesystem>

#include "base/hash.h"
#include "nn/data/load_files.h"
#include "nn/training/random.h"
#include "runtime/runtime.h"
#include "tasks/load_versions.h"
#include "tasks/tasks.h"

namespace tasks {

namespace {

std::atomic<std::uint64_t> loaded{0};

/// What counts about a spec besides the files: everything but their names.
nn::DataSpec without_path(nn::DataSpec spec) {
  spec.path.clear();
  spec.more.clear();
  return spec;
}

nn::SourceFile open(const rt::file_in& file) {
  return {file.path().string(), nn::LoadLimits{}.file_bytes};
}

const auto csv_task = rt::task("load csv", kLoadVersions.csv)
                          .cpu([](rt::file_in file, nn::DataSpec spec) -> nn::Dataset {
                            loaded.fetch_add(1, std::memory_order_relaxed);
                            const std::array files{open(file)};
                            return nn::load_csv(files, spec, {});
                          })
                          .pure()
                          .keep(rt::Keep::never);

/// A table and a second one that is the test part.
const auto csv_pair_task =
    rt::task("load csv pair", kLoadVersions.csv_pair)
        .cpu([](rt::file_in file, rt::file_in test, nn::DataSpec spec) -> nn::Dataset {
          loaded.fetch_add(1, std::memory_order_relaxed);
          const std::array files{open(file), open(test)};
          return nn::load_csv(files, spec, {});
        })
        .pure()
        .keep(rt::Keep::never);

const auto npy_task = rt::task("load npy", kLoadVersions.npy)
                          .cpu([](rt::file_in x, rt::file_in y, nn::DataSpec spec) -> nn::Dataset {
                            loaded.fetch_add(1, std::memory_order_relaxed);
                            spec.path = x.path().string();
                            return nn::load_npy({open(x), open(y)}, spec, {});
                          })
                          .pure()
                          .keep(rt::Keep::never);

const auto safetensors_task = rt::task("load safetensors", kLoadVersions.safetensors)
                                  .cpu([](rt::file_in file, nn::DataSpec spec) -> nn::Dataset {
                                    loaded.fetch_add(1, std::memory_order_relaxed);
                                    spec.path = file.path().string();
                                    return nn::load_safetensors(open(file), spec, {});
                                  })
                                  .pure()
                                  .keep(rt::Keep::never);

const auto idx_task =
    rt::task("load idx", kLoadVersions.idx)
        .cpu([](rt::file_in images, rt::file_in labels, rt::file_in test_images,
                rt::file_in test_labels, nn::DataSpec spec) -> nn::Dataset {
          loaded.fetch_add(1, std::memory_order_relaxed);
          spec.path = images.path().parent_path().string();
          return nn::load_idx({open(images), open(labels), open(test_images), open(test_labels)},
                              spec, {});
        })
        .pure()
        .keep(rt::Keep::never);

}  // namespace

Seeds derive_seeds(std::uint64_t study_seed, const base::Key& data) {
  const nn::RandomKey study{study_seed};
  return {study.derive("init").value,
          study.derive("shuffle").derive(data.hi).derive(data.lo).value};
}

rt::Value<nn::Dataset> load(const nn::DataSpec& spec) {
  const nn::DataSpec rest = without_path(spec);
  switch (spec.kind) {
    case nn::DataKind::npy:
      return npy_task(spec.path, spec.more, rest);
    case nn::DataKind::safetensors:
      return safetensors_task(spec.path, rest);
    case nn::DataKind::idx: {
      const auto files = nn::idx_files(spec.path);
      return idx_task(files[0], files[1], files[2], files[3], rest);
    }
    case nn::DataKind::csv:
      break;
  }
  if (spec.more.empty()) return csv_task(spec.path, rest);
  return csv_pair_task(spec.path, spec.more, rest);
}

std::uint64_t datasets_loaded() noexcept { return loaded.load(std::memory_order_relaxed); }

}  // namespace tasks
