#pragma once
// Versions of the tasks that read data, a part of every result's key. Whatever makes another data
// set of the same file and spec needs a new one: without it the store answers with networks that
// were trained on the old numbers.

namespace tasks {

struct LoadVersions {
  int csv = 8, csv_pair = 6, npy = 4, safetensors = 4, idx = 2;
};
inline constexpr LoadVersions kLoadVersions;

}  // namespace tasks
