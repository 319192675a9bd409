// The one list of the kinds of a sort: layers, samplers, policies...
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/kind.h"

namespace base {

/// Entries in the order in which the reference page shows them. An entry is a pointer to a static
/// object whose info() is its KindInfo, or a struct with a member `info`. Immutable; any thread.
template <class Entry>
class Registry {
 public:
  using Object = std::remove_const_t<std::remove_pointer_t<Entry>>;

  Registry(std::initializer_list<Entry> entries) : entries_(entries) {
    for (const Entry& entry : entries_) infos_.push_back(info_of(object(entry)));
  }

  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  [[nodiscard]] std::span<const KindInfo> infos() const { return infos_; }

  /// The words of all kinds.
  [[nodiscard]] std::vector<std::string> kinds() const {
    std::vector<std::string> words;
    for (const KindInfo& info : infos_) words.push_back(info.kind);
    return words;
  }

  /// The entry of that kind; null when there is no such kind.
  [[nodiscard]] const Object* find(std::string_view kind) const {
    for (const Entry& entry : entries_) {
      if (info_of(object(entry)).kind == kind) return &object(entry);
    }
    return nullptr;
  }

 private:
  static const Object& object(const Entry& entry) {
    if constexpr (std::is_pointer_v<Entry>)
      return *entry;
    else
      return entry;
  }
  static const KindInfo& info_of(const Object& object) {
    if constexpr (requires { object.info(); })
      return object.info();
    else
      return object.info;
  }

  std::vector<Entry> entries_;
  std::vector<KindInfo> infos_;
};

}  // namespace base
