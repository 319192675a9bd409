// What must come of a history: the contents of values, and how each call may end. Knows nothing of
// agents but who was told to run what and who was lost.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "runtime/net/parcel.h"

namespace rt::net {

/// The bytes of an output: they follow from the call and the contents of what it reads.
inline base::Bytes content_of(const Call& call, std::size_t output,
                              const std::vector<base::Key>& contents_read) {
  base::Hasher hasher;
  hasher.add(call.constants).add(static_cast<std::uint64_t>(output));
  for (const base::Key& read : contents_read) hasher.add(read);
  const base::Key key = hasher.finish();
  // Of every eight outputs one is larger than a piece, and two more than what travels in an answer.
  const std::uint64_t kind = key.lo % 8;
  base::Bytes bytes(kind == 0 ? 300'000 : kind < 3 ? 20'000 : 8 + key.lo % 32);
  for (std::size_t i = 0; i < 16; ++i)
    bytes[i % bytes.size()] ^= static_cast<std::byte>((i < 8 ? key.hi : key.lo) >> (i % 8 * 8));
  bytes.back() ^= std::byte{0x5a};
  return bytes;
}

/// Whether a call's body throws.
inline bool throws(const Call& call) { return call.task == "throws"; }

class Model {
 public:
  /// A call that the driver may have run; each after those that it reads from.
  void know(const Call& call) {
    for (std::size_t i = 0; i < call.outputs.size(); ++i) makers_[call.outputs[i]] = {call, i};
  }
  void given(base::Key key, const base::Bytes& bytes) { given_[key] = base::hash_bytes(bytes); }

  /// The hash of a value's content; nothing where a body on the way throws.
  std::optional<base::Key> content(base::Key key) {
    if (const auto at = given_.find(key); at != given_.end()) return at->second;
    const auto& [call, output] = makers_.at(key);
    if (throws(call)) return std::nullopt;
    std::vector<base::Key> read;
    for (const base::Key& input : call.inputs) {
      const std::optional<base::Key> one = content(input);
      if (!one) return std::nullopt;
      read.push_back(*one);
    }
    return given_[key] = base::hash_bytes(content_of(call, output, read));
  }

  // --- what happened
  void told(const std::string& node, const Call& call) { told_[call.outputs.back()].insert(node); }
  /// A node is gone, with the calls that it was told and has not answered.
  void lost(const std::string& node) {
    for (auto& [result, nodes] : told_) {
      if (nodes.erase(node) != 0) took_along_[result].insert(node);
    }
  }

  /// What is wrong with such an end of a call; empty: nothing.
  std::string judge(const Call& call, const Outcome& outcome) {
    const bool sound = content(call.outputs.back()).has_value();
    const bool inputs_sound = std::all_of(call.inputs.begin(), call.inputs.end(),
                                          [&](auto& key) { return content(key).has_value(); });
    told_.erase(call.outputs.back());
    switch (outcome.end) {
      case End::lost:
        return may_be_lost(call) ? "" : "it ended as lost";
      case End::failed:
        return inputs_sound && !sound ? "" : "it failed";
      case End::cancelled:
        return !inputs_sound || inputs_may_be_lost(call) ? "" : "it was cancelled";
      case End::made:
        break;
    }
    if (!sound) return "it was made, from what cannot be made";
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      if (outcome.outputs.at(i).here &&
          base::hash_bytes(outcome.outputs[i].bytes) != content(call.outputs[i]))
        return "output " + std::to_string(i) + " has another content";
    }
    return "";
  }
  bool may_be_lost(const Call& call) {
    const auto at = took_along_.find(call.outputs.back());
    return (at != took_along_.end() && at->second.size() >= 3) || inputs_may_be_lost(call);
  }

 private:
  bool inputs_may_be_lost(const Call& call) {
    return std::any_of(call.inputs.begin(), call.inputs.end(), [&](const base::Key& key) {
      const auto at = makers_.find(key);
      return at != makers_.end() && may_be_lost(at->second.first);
    });
  }

  std::map<base::Key, std::pair<Call, std::size_t>> makers_;
  std::map<base::Key, base::Key> given_;
  std::map<base::Key, std::set<std::string>> told_;
  std::map<base::Key, std::set<std::string>> took_along_;
};

}  // namespace rt::net
