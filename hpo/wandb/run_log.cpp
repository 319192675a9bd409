#include "hpo/wandb/run_log.h"

#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo::wandb {

namespace {

constexpr std::size_t kLongestText = 200;  ///< of a value that is no number
constexpr std::string_view kMediaMark = "_type";

using Plain = std::vector<std::pair<std::string, std::string>>;

bool is_own(std::string_view name) { return name.empty() || name == "step" || name.front() == '_'; }

/// A value may be a map of values; a picture or a table is one that says its type.
void add_plain(const std::string& name, const base::Json& value, Plain& out) {
  if (!value.is_object()) {
    if (!value.is_list() && value.raw().size() <= kLongestText) out.emplace_back(name, value.raw());
    return;
  }
  if (value.find(kMediaMark) != nullptr) return;
  for (const auto& [key, inner] : value.members()) add_plain(name + "." + key, inner, out);
}

Plain plain_values(const RunRecord& record) {
  Plain plain;
  for (const auto& [name, text] : record.values) {
    if (is_own(name)) continue;
    if (const auto value = base::Json::try_parse(text, {.non_finite = true}))
      add_plain(name, *value, plain);
  }
  return plain;
}

template <class Values>
std::string line_of(const Values& values) {
  if (values.empty()) return "";
  base::JsonWriter line;
  line.begin_object();
  for (const auto& [name, value] : values) line.key(name).raw(value);
  line.end_object();
  return std::move(line).text() + "\n";
}

}  // namespace

std::string RunLog::add(std::string_view bytes) {
  std::string lines;
  for (const std::string& text : reader_.add(bytes)) {
    const RunRecord record = read_run_record(text);
    if (record.kind == RunRecord::Kind::other) continue;
    const Plain plain = plain_values(record);
    if (record.kind == RunRecord::Kind::summary) {
      for (const auto& [name, value] : plain) summary_[name] = value;
      continue;
    }
    for (const auto& [name, value] : plain) logged_.insert(name);
    lines += line_of(plain);
  }
  return lines;
}

std::string RunLog::finish() const {
  std::map<std::string, std::string> rest;
  for (const auto& [name, value] : summary_) {
    if (!logged_.contains(name)) rest.emplace(name, value);
  }
  return line_of(rest);
}

}  // namespace hpo::wandb
