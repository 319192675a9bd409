#pragma once
// Text to tree. The only user of yaml-cpp, and the place where its traps are dealt with.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/study/node.h"

namespace hpo::study {

/// What a study file may hold at most; whoever needs more wrote something else than a study.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 20;
inline constexpr int kMostDepth = 64;
inline constexpr std::size_t kMostNodes = 100'000;  ///< after aliases were replaced by copies

/// Reads one YAML document. Refuses, with a StudyError at the place: text that is not UTF-8 or
/// holds control characters, tabs as indentation, more than one document, keys that stand twice
/// (both places are named), merge keys, tags, keys that are no words, aliases that contain
/// themselves, and anything beyond the caps above. Time and memory are bounded by the caps,
/// whatever the text.
[[nodiscard]] Node read_yaml(std::string_view text);
/// A key that a map has before it has it again.
struct RepeatedKey {
  std::string key;
  Position first, again;
};

/// The same of a file of another tool, where merge keys stand for the keys of the maps that they
/// name: a key that a map has itself goes before those, an earlier map before a later one. Of a key
/// that stands twice in a map the last one counts, as in Python; `repeated` gets these.
[[nodiscard]] Node read_merging_yaml(std::string_view text, std::vector<RepeatedKey>& repeated);
/// The same for what stands in no file, all of it at one place of the file that it is added to.
[[nodiscard]] Node read_yaml(std::string_view text, Position at);

}  // namespace hpo::study
