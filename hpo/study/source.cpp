#include "hpo/study/source.h"

#include <algorithm>
#include <vector>

#include "base/enum_names.h"
#include "base/text.h"
#include "hpo/study/places.h"
#include "nn/data/load.h"

namespace hpo::study {

namespace {

constexpr base::EnumNames<nn::DataKind> kKinds{{{nn::DataKind::csv, "csv"},
                                                {nn::DataKind::idx, "idx"},
                                                {nn::DataKind::npy, "npy"},
                                                {nn::DataKind::safetensors, "safetensors"}}};
constexpr auto& kSources = kKinds.all();

}  // namespace

std::span<const std::string_view> source_words() { return kSources; }

std::string_view source_of(const Node& data) {
  const auto has = [&](std::string_view word) { return data.find(word) != nullptr; };
  const auto found = std::ranges::find_if(kSources, has);
  return found == kSources.end() ? std::string_view() : *found;
}

std::string_view DataRows::source() const {
  const bool has[] = {csv.has_value(), idx.has_value(), npy.has_value(), safetensors.has_value()};
  const auto first = std::ranges::find(has, true);
  return first == std::end(has) ? std::string_view() : kSources[first - std::begin(has)];
}

void check_source(const StudySpec& study) {
  const Places& places = *study.places;
  std::string_view first;
  for (const std::string_view word : kSources) {
    const std::string path = base::cat("data.", word);
    if (!places.has(path)) continue;
    if (!first.empty())
      throw StudyError(places.key_at(path),
                       base::cat("data has ", first, " and ", word, "; use one of them"));
    first = word;
  }
  if (first.empty())
    throw StudyError(
        places.at("data"),
        "data names no file, expected csv: FILE, idx: FOLDER, npy: {x: FILE, y: FILE} or "
        "safetensors: FILE");
  if (!study.data.test.empty() && study.data.split.test > 0)
    throw StudyError(
        places.key_at("data.test"),
        "data.split.test cannot be used with data.test, which is the test part already; remove "
        "one of the two");
}

std::string located(const std::vector<std::string>& candidates, const std::string& path,
                    const StudySpec& study) {
  const Places& places = *study.places;
  if (candidates.empty())
    throw StudyError(places.at(path), "data names no file, expected at least one in the list");
  constexpr std::size_t kReasons = 3, kShown = 1500;
  const std::size_t shown = kShown / std::min(kReasons, candidates.size());
  std::size_t failed = 0;
  std::string reason;
  for (const std::string& candidate : candidates) {
    try {
      return nn::locate_data(candidate, study.folder);
    } catch (const nn::DataError& error) {
      if (failed++ < kReasons)
        reason += (reason.empty() ? "" : "; ") + base::printable(error.what(), shown);
    }
  }
  if (failed > kReasons) reason += base::cat("; and ", failed - kReasons, " more of the list");
  throw StudyError(places.at(path + ".0"), reason);
}

namespace {

/// The candidates that exist beside the one that was found.
std::vector<std::string> others_that_exist(const std::vector<std::string>& candidates,
                                           const std::string& found, const StudySpec& study) {
  std::vector<std::string> others;
  for (const std::string& candidate : candidates) {
    try {
      if (nn::locate_data(candidate, study.folder) != found) others.push_back(candidate);
    } catch (const nn::DataError&) {
      // It is one of several because it may be missing.
    }
  }
  return others;
}

}  // namespace

void locate_sources(StudySpec& study) {
  DataRows& data = study.data;
  const auto locate = [&](std::string& file, const std::string& path) {
    file = located({file}, path, study);
  };
  for (auto* files : {&data.csv, &data.idx, &data.safetensors}) {
    if (!*files) continue;
    const std::string found = located(**files, base::cat("data.", data.source()), study);
    data.unread = others_that_exist(**files, found, study);
    *files = {found};
  }
  if (data.npy) {
    locate(data.npy->x, "data.npy.x");
    locate(data.npy->y, "data.npy.y");
  }
  if (!data.test.empty()) locate(data.test, "data.test");
}

void read_source(const DataRows& data, nn::DataSpec& spec) {
  spec.kind = kKinds.find(data.source()).value();
  const auto& files = data.csv ? data.csv : data.idx ? data.idx : data.safetensors;
  spec.path = data.npy ? data.npy->x : files->front();
  spec.more = data.npy ? data.npy->y : data.test;
}

}  // namespace hpo::study
