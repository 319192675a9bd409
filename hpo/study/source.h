#pragma once
// Where a study's data lies: `csv`, `idx`, `npy` or `safetensors`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"
#include "nn/data/data_spec.h"

namespace hpo::study {

/// The keys of `data` that name files, in the order of nn::DataKind.
[[nodiscard]] std::span<const std::string_view> source_words();

/// The one that `data` has; empty where it has none.
[[nodiscard]] std::string_view source_of(const Node& data);

/// Throws a StudyError unless the study's data has exactly one source, and a test part only once.
void check_source(const StudySpec& study);

/// Makes the paths of the data absolute (nn::locate_data): of a list, the first that exists. Throws
/// a StudyError with the places looked at.
void locate_sources(StudySpec& study);

/// Returns the absolute path of the first of `candidates` that exists; `path` is their row.
[[nodiscard]] std::string located(const std::vector<std::string>& candidates,
                                  const std::string& path, const StudySpec& study);

/// Fills in kind and paths of located data.
void read_source(const DataRows& data, nn::DataSpec& spec);

}  // namespace hpo::study
