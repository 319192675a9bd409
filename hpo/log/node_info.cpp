#include "hpo/log/node_info.h"

#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace hpo {

std::string nodes_json(std::span<const NodeInfo> nodes) {
  base::JsonWriter json;
  json.begin_array();
  for (const NodeInfo& node : nodes) {
    json.begin_object().field("node", node.node).field("state", node.state);
    json.field("workers", node.workers).field("gpus", node.gpus);
    json.field("parcels", node.parcels).field("done", node.done);
    json.field("bytes_in", node.bytes_in).field("bytes_out", node.bytes_out);
    json.field("heard", node.heard).field("there", node.there);
    json.field("busy", node.busy).field("lent", node.lent).end_object();
  }
  json.end_array();
  return std::move(json).text();
}

std::vector<NodeInfo> nodes_from_json(const std::string& text) {
  std::vector<NodeInfo> nodes;
  const base::Json list = base::Json::parse(text);
  for (const auto& [none, json] : list.members()) {
    const auto newer = [&object = json](const char* name) {
      const base::Json* found = object.find(name);
      return found != nullptr ? found->number() : 0;
    };
    nodes.push_back({.node = json.at("node").text(),
                     .state = json.at("state").text(),
                     .workers = json.at("workers").integer(),
                     .gpus = json.at("gpus").integer(),
                     .parcels = json.at("parcels").integer(),
                     .lent = std::llround(newer("lent")),
                     .done = json.at("done").integer(),
                     .bytes_in = json.at("bytes_in").integer(),
                     .bytes_out = json.at("bytes_out").integer(),
                     .heard = json.at("heard").number(),
                     .there = newer("there"),
                     .busy = newer("busy")});
  }
  return nodes;
}

namespace {

/// A file for each agent, so that two that ask at a time do not lose each other's wish.
base::Path wishes(const base::Path& study) { return study / "net" / "dismiss"; }

}  // namespace

void ask_to_dismiss(const base::Path& study, const std::string& node) {
  base::make_folder(wishes(study));
  base::write_file_atomic(wishes(study) / base::hash_bytes(base::as_bytes(node)).hex(), node,
                          base::Durability::cached);
}

std::vector<std::string> asked_to_dismiss(const base::Path& study) {
  std::vector<std::string> nodes;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(wishes(study), none)) {
    // Names of files that are written at the moment have a dot.
    if (entry.path().filename().string().find('.') != std::string::npos) continue;
    nodes.push_back(base::read_file(entry.path()));
    base::remove_file(entry.path());
  }
  return nodes;
}

}  // namespace hpo
