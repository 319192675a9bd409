#include "hpo/study/source.h"

#include <algorithm>
#include <vector>

#include "base/enum_names.h"
#include "base/text.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"
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

void check_source(const Node& root) {
  const Node& data = *root.find("data");
  const Entry* first = nullptr;
  for (const std::string_view word : kSources) {
    const Entry* entry = data.find_entry(word);
    if (entry == nullptr) continue;
    if (first != nullptr) {
      throw Fault(entry->key_at, base::cat("data has ", first->key, " and ", entry->key,
                                           ", expected one of them"));
    }
    first = entry;
  }
  if (first == nullptr) {
    throw Fault(data.at,
                "data names no file, expected csv: FILE, idx: FOLDER, npy: {x: FILE, y: FILE} or "
                "safetensors: FILE");
  }
  const Node* share = data.find_path({"split", "test"});
  if (const Entry* test = data.find_entry("test"); test != nullptr && as_number(*share) > 0) {
    throw Fault(test->key_at,
                "data.test is the test part, and data.split.test asks for a share of the rows, "
                "expected one of them");
  }
}

void locate_file(Node& source, const std::string& folder) {
  const std::vector<Node> candidates = source.is_list() ? source.items : std::vector<Node>{source};
  if (candidates.empty())
    throw Fault(source.at, "data names no file, expected at least one in the list");
  constexpr std::size_t kReasons = 3, kShown = 1500;
  const std::size_t shown = kShown / std::min(kReasons, candidates.size());
  std::size_t failed = 0;
  std::string reason;
  for (const Node& candidate : candidates) {
    try {
      source = string_node(escape(nn::locate_data(unescape(candidate).text, folder)), candidate.at);
      return;
    } catch (const nn::DataError& error) {
      if (failed++ < kReasons)
        reason += (reason.empty() ? "" : "; ") + base::printable(error.what(), shown);
    }
  }
  if (failed > kReasons) reason += base::cat("; and ", failed - kReasons, " more of the list");
  throw Fault(candidates[0].at, reason);
}

void locate_sources(Node& root, const std::string& folder) {
  Node& data = *root.find("data");
  Node& source = *data.find(source_of(data));
  if (source.is_map()) {
    for (Entry& entry : source.entries) locate_file(entry.value, folder);
  } else {
    locate_file(source, folder);
  }
  if (Node* test = data.find("test")) locate_file(*test, folder);
}

void read_source(const Node& data, nn::DataSpec& spec) {
  const std::string_view word = source_of(data);
  const Node& source = *data.find(word);
  spec.kind = kKinds.find(word).value();
  spec.path = source.is_map() ? source.find("x")->text : source.text;
  if (source.is_map()) spec.more = source.find("y")->text;
  if (const Node* test = data.find("test")) spec.more = test->text;
}

}  // namespace hpo::study
