// Loading data.
#include <atomic>
#include <filesystem>

#include "nn/data/load_files.h"
#include "nn/random.h"
#include "runtime/runtime.h"
#include "tasks/body.h"
#include "tasks/tasks.h"

namespace tasks {

namespace {

std::atomic<std::uint64_t> loaded{0};

/// What counts about a spec besides the files: everything but their name.
nn::DataSpec without_path(nn::DataSpec spec) {
  spec.path.clear();
  return spec;
}

nn::SourceFile open(const rt::file_in& file) {
  return {file.path().string(), nn::LoadLimits{}.file_bytes};
}

const auto& csv_task() {
  static const auto task = rt::task("load csv", 2)
                               .cpu([](rt::file_in file, nn::DataSpec spec) -> nn::Dataset {
                                 return translated([&] {
                                   loaded.fetch_add(1, std::memory_order_relaxed);
                                   return nn::load_csv(open(file), spec, {});
                                 });
                               })
                               .pure()
                               .keep(rt::Keep::never);
  return task;
}

const auto& idx_task() {
  static const auto task =
      rt::task("load idx", 1)
          .cpu([](rt::file_in images, rt::file_in labels, rt::file_in test_images,
                  rt::file_in test_labels, nn::DataSpec spec) -> nn::Dataset {
            return translated([&] {
              loaded.fetch_add(1, std::memory_order_relaxed);
              spec.path = images.path().parent_path().string();
              return nn::load_idx(
                  {open(images), open(labels), open(test_images), open(test_labels)}, spec, {});
            });
          })
          .pure()
          .keep(rt::Keep::never);
  return task;
}

}  // namespace

rt::Key data_key(const nn::DataSpec& spec) {
  return translated([&] {
    const nn::ContentHash content = nn::content_hash(spec);
    return rt::Hasher()
        .add(rt::key_of(without_path(spec)))
        .add(content.high)
        .add(content.low)
        .finish();
  });
}

Seeds derive_seeds(std::uint64_t study_seed, const rt::Key& data) {
  const nn::RandomKey study{study_seed};
  return {study.derive("init").value,
          study.derive("shuffle").derive(data.hi).derive(data.lo).value};
}

rt::Value<nn::Dataset> load(const nn::DataSpec& spec) {
  if (spec.kind == nn::DataKind::csv) return csv_task()(spec.path, without_path(spec));
  const auto files = translated([&] { return nn::idx_files(spec.path); });
  return idx_task()(files[0], files[1], files[2], files[3], without_path(spec));
}

std::uint64_t datasets_loaded() noexcept { return loaded.load(std::memory_order_relaxed); }

}  // namespace tasks
