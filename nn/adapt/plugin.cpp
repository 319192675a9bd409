#include "nn/adapt/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "nn/data/source_file.h"
#include "nn/error.h"

namespace nn {
namespace {

constexpr std::size_t kMostPluginBytes = std::size_t{1} << 30;  // bytes of a plugin
// Words that a study file has beside a policy's own fields.
constexpr std::array<std::string_view, 3> kTaken{"policy", "plugin", "content"};

struct Loaded {
  std::string content;
  PolicyKind kind;
};

void check_kind(const std::string& path, const PolicyKind& kind) {
  const std::string who = path + ": the policy " + kind.info.kind;
  if (kind.make == nullptr) throw Error(who + " has no function make");
  if (kind.timetable || kind.program || kind.behind != nullptr)
    throw Error(who + " asks for a timetable or a program, which are for Trellis's own policies");
  for (const FieldInfo& field : kind.info.fields) {
    if (std::ranges::find(kTaken, field.name) != kTaken.end())
      throw Error(who + " has a field \"" + field.name + "\", which the study file needs itself");
  }
}

PolicyKind load(const std::string& path) {
  // What it leaves open is the program's; a fault of its own is told before anything trains.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::string why = dlerror();
    if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
    throw Error(path + ": can't be loaded: " + one_line(why, 300) +
                "; expected a shared library (c++ -shared -fPIC) made with this version's headers");
  }
  const auto* const plugin = static_cast<const PolicyPlugin*>(dlsym(library, "trellis_policy"));
  if (plugin == nullptr)
    throw Error(path + ": is no policy: it has no TRELLIS_POLICY (nn/adapt/plugin.h)");
  if (plugin->interface != kPolicyInterface) {
    throw Error(path + ": was compiled for another interface of policies (version " +
                std::to_string(plugin->version) + "; this program has version " +
                std::to_string(kPolicyVersion) +
                ", or its types have other sizes), expected it compiled with this version's "
                "headers");
  }
  PolicyKind kind = plugin->kind();
  check_kind(path, kind);
  return kind;
}

}  // namespace

std::string plugin_content(const std::string& path) {
  return hash_of(path, kMostPluginBytes).hex();
}

const PolicyKind& plugin_kind(const std::string& path, const std::string& content) {
  static std::mutex mutex;
  static std::map<std::string, Loaded> all;
  const std::lock_guard lock(mutex);
  const auto known = all.find(path);
  // A file that was replaced would not be loaded again: the loader knows it by its path.
  const std::string now = known != all.end() ? known->second.content : plugin_content(path);
  if (now != content) {
    throw Error(path + ": its content is " + now + ", and was " + content +
                " when the study began");
  }
  if (known != all.end()) return known->second.kind;
  return all.emplace(path, Loaded{content, load(path)}).first->second.kind;
}

PolicyKind plugin_policy() {
  return {.info = {.kind = "plugin",
                   .doc = "A policy of your own in C++, from a shared library; its fields are "
                          "beside it.",
                   .fields = {}},
          .behind = [](const Adaptation& adaptation) -> const PolicyKind& {
            return plugin_kind(adaptation.plugin, adaptation.content);
          }};
}

}  // namespace nn
