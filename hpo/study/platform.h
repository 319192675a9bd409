#pragma once
// Platform files: the machine that `trellis simulate` and `trellis plan --platform` are about.
//
//   name: a laptop
//   cpu: {count: 8, peak: 7e10, half: 2e5, launch: 1e-6, bandwidth: 5e9, memory: 16GB}
//   gpu: {count: 1, peak: 5e12, half: 1e8, launch: 1e-5, bandwidth: 2.5e11, memory: 6GB, link: 6e9,
//         latency: 1.5e-5}
//   nodes: {count: 8, link: {latency: 1e-4, bandwidth: 1.25e8}, losses: 1 a day, back: 2m}
//   runtime: {parcel: 1e-4, start: 0.5}

#include <string>

#include "hpo/study/field.h"
#include "runtime/place/device_model.h"

namespace hpo {

namespace study {

/// The table of fields of a platform file.
[[nodiscard]] const Field& platform_block();

}  // namespace study

/// Checks the content of a platform file; `path` is what messages call it. Throws base::Error
/// (study) with PATH:LINE:COL.
[[nodiscard]] rt::Platform parse_platform(const std::string& text, const std::string& path);

/// Reads and checks the platform file at `path`. Throws base::Error: study with FILE:LINE:COL,
/// storage when the file cannot be read.
[[nodiscard]] rt::Platform load_platform(const std::string& path);

}  // namespace hpo
