#include "nn/adapt/plugin.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"
#include "nn/data/source_file.h"

namespace nn {
namespace {

constexpr std::size_t kMostPluginBytes = std::size_t{1} << 30;
// Words that mean something else in a study file, beside a policy or where data lies.
constexpr std::array<std::string_view, 10> kTaken{"policy",  "plugin", "content", "name", "at",
                                                  "command", "folder", "timeout", "csv",  "idx"};

void check_field(const std::string& who, const FieldInfo& field) {
  const std::string what = who + " has a field \"" + base::printable(field.name, 60) + "\", ";
  const bool plain = !field.name.empty() && std::ranges::all_of(field.name, [](char c) {
    return base::is_lower_letter(c) || base::is_digit(c) || c == '_';
  });
  if (!plain) throw base::Error(base::Errc::study, what + "expected a name of a-z, 0-9 and _");
  if (std::ranges::find(kTaken, field.name) != kTaken.end())
    throw base::Error(base::Errc::study, what + "which the study file needs itself");
  if (field.piecewise || field.type == FieldType::number_by_name)
    throw base::Error(base::Errc::study, what + "which is not a single value");
  if (field.type == FieldType::word && field.choices.empty())
    throw base::Error(base::Errc::study, what + "a word without choices");
  if (!field.value) return;
  if (const std::string problem = field_problem(field, *field.value); !problem.empty())
    throw base::Error(base::Errc::study, what + "whose default " + problem);
}

void check_kind(const std::string& path, const PolicyKind& kind) {
  const std::string who = path + ": the policy " + base::printable(kind.info.kind, 60);
  if (kind.make == nullptr) throw base::Error(base::Errc::study, who + " has no function make");
  if (kind.timetable || kind.program || kind.behind != nullptr || kind.birth != nullptr)
    throw base::Error(
        base::Errc::study,
        who +
            " asks for what only Trellis's own policies have: a timetable, a program or "
            "a birth");
  std::set<std::string> names;
  for (const FieldInfo& field : kind.info.fields) {
    check_field(who, field);
    if (!names.insert(field.name).second)
      throw base::Error(base::Errc::study, who + " has two fields \"" + field.name + "\"");
  }
}

/// A file in memory with those bytes, which nobody can change: its path while this lives, or for as
/// long as the process does.
class Copy {
 public:
  Copy(const std::string& path, std::span<const std::byte> bytes)
      : file_(memfd_create("policy", MFD_CLOEXEC)) {
    if (!file_ || base::write_all(file_.fd(), bytes) != 0)
      throw base::Error(base::Errc::study, path + ": out of memory while loading it");
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_.fd()); }
  /// The loader takes a path that it knows for the library that it has loaded from there.
  void stay() { (void)file_.release(); }

 private:
  base::File file_;
};

/// Why the loader refused a copy of a file, in its own words without the copy's name.
std::string loader_error(const std::string& copy) {
  const char* said = dlerror();
  std::string why = said != nullptr ? said : "unknown error";
  if (why.starts_with(copy + ": ")) why.erase(0, copy.size() + 2);
  return base::printable(why, 300);
}

PolicyKind kind_of(const PolicyPlugin& plugin, const std::string& path) {
  try {
    return plugin.kind();
  } catch (const std::exception& error) {
    throw base::Error(base::Errc::study, path + ": the function of TRELLIS_POLICY threw \"" +
                                             base::printable(error.what(), 300) + "\"");
  }
}

PolicyKind load(const std::string& path, std::span<const std::byte> bytes) {
  Copy copy(path, bytes);
  // What it leaves open is the program's; a fault of its own is told before anything trains.
  void* const library = dlopen(copy.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw base::Error(
        base::Errc::study,
        path + ": can't be loaded: " + loader_error(copy.path()) +
            "; expected a shared library (c++ -shared -fPIC) made with this version's headers");
  }
  copy.stay();
  const auto* const plugin = static_cast<const PolicyPlugin*>(dlsym(library, "trellis_policy"));
  if (plugin == nullptr)
    throw base::Error(
        base::Errc::study,
        path + ": this is not a policy: it has no TRELLIS_POLICY (nn/adapt/plugin.h)");
  if (plugin->interface != kPolicyInterface) {
    throw base::Error(
        base::Errc::study,
        path + ": was compiled for another interface of policies (version " +
            std::to_string(plugin->version) + "; this program has version " +
            std::to_string(kPolicyVersion) +
            ", or its types have other sizes), expected it compiled with this version's "
            "headers");
  }
  PolicyKind kind = kind_of(*plugin, path);
  check_kind(path, kind);
  return kind;
}

}  // namespace

std::string plugin_content(const std::string& path) {
  return hash_of(path, kMostPluginBytes).hex();
}

const PolicyKind& plugin_kind(const std::string& path, const std::string& content) {
  static std::mutex mutex;
  static std::map<std::string, PolicyKind> by_content;
  const std::lock_guard lock(mutex);
  const auto known = by_content.find(content);
  if (known != by_content.end()) return known->second;
  const SourceFile file(path, kMostPluginBytes);
  if (const std::string now = hash_of(file).hex(); now != content)
    throw base::Error(base::Errc::study, path + ": the file has the content " + now +
                                             ", expected " + base::printable(content, 60));
  return by_content.emplace(content, load(path, file.raw())).first->second;
}

PolicyKind plugin_policy() {
  return {.info = {.kind = "plugin",
                   .doc = "A policy of your own in C++, from a shared library. Its fields are "
                          "given next to `plugin`.",
                   .fields = {}},
          .behind = [](const Adaptation& adaptation) -> const PolicyKind& {
            return plugin_kind(adaptation.plugin, adaptation.content);
          }};
}

}  // namespace nn
