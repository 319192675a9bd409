#pragma once
// Where a study's data lies: `csv`, `idx`, `npy` or `safetensors`.

#include <span>
#include <string>
#include <string_view>

#include "hpo/study/node.h"
#include "nn/data/data_spec.h"

namespace hpo::study {

/// The keys of `data` that name files, in the order of nn::DataKind.
[[nodiscard]] std::span<const std::string_view> source_words();

/// The one that `data` has; empty where it has none.
[[nodiscard]] std::string_view source_of(const Node& data);

/// Throws a Fault unless `data` has exactly one source, and a test part only once.
void check_source(const Node& root);

/// Puts absolute paths in place of what the file says (nn::locate_data): of a list, the first that
/// exists. Throws a Fault with the places looked at.
void locate_sources(Node& root, const std::string& folder);

/// The same of one file or folder of data.
void locate_file(Node& source, const std::string& folder);

/// Kind and paths of a checked, located `data`.
void read_source(const Node& data, nn::DataSpec& spec);

}  // namespace hpo::study
