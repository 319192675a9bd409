#pragma once
// plugin: a policy from outside this tree, compiled to a shared library.
//
//   #include "nn/adapt/plugin.h"
//
//   class Mine final : public nn::Policy { ... };
//   nn::PolicyKind mine() {
//     return {.info = {.kind = "mine", .doc = "...", .fields = {...}}, .make = ...};
//   }
//   TRELLIS_POLICY(mine)
//
//   c++ -std=c++20 -O2 -shared -fPIC -I TRELLIS -o mine.so mine.cpp
//
// It is loaded into the program and uses the program's own copy of what nn/ has, so it is compiled
// with the headers of that version: an interface that differs is refused, not tried.
// For users: docs/policies-of-your-own.md.

#include <cstdint>
#include <string>

#include "nn/adapt/policy.h"
#include "nn/error.h"

namespace nn {

/// The version of the interface: of policy.h and what it shows of other headers. A test knows what
/// they were when it was chosen.
inline constexpr std::uint64_t kPolicyVersion = 5;

/// With the sizes of what a policy and the program hand each other, which differ where one was
/// compiled otherwise.
inline constexpr std::uint64_t kPolicyInterface = [] {
  std::uint64_t out = kPolicyVersion;
  for (const std::size_t size :
       {sizeof(std::string),    sizeof(Fields),      sizeof(FieldInfo), sizeof(KindInfo),
        sizeof(Choice),         sizeof(Shape),       sizeof(LayerSpec), sizeof(ModelSpec),
        sizeof(Operation),      sizeof(Adaptation),  sizeof(Birth),     sizeof(Candidate),
        sizeof(Round),          sizeof(Turn),        sizeof(Wants),     sizeof(UnitNorms),
        sizeof(UnitStatistics), sizeof(UnitPenalty), sizeof(Situation), sizeof(PolicySetup),
        sizeof(PolicyKind),     sizeof(SpecError)})
    out = out * 1099511628211U + size;
  return out;
}();

/// What a plugin exports as `trellis_policy`.
struct PolicyPlugin {
  std::uint64_t version = kPolicyVersion;
  std::uint64_t interface = kPolicyInterface;
  PolicyKind (*kind)() = nullptr;
};

#define TRELLIS_POLICY(function)                                                             \
  extern "C" __attribute__((visibility("default"))) const ::nn::PolicyPlugin trellis_policy; \
  const ::nn::PolicyPlugin trellis_policy{.kind = &(function)};

/// The content of a plugin's file, for Adaptation::content. Throws DataError where it can't be
/// read.
[[nodiscard]] std::string plugin_content(const std::string& path);

/// The kind that a plugin brings; it stays loaded, and the file may change. Throws base::Error
/// (study) where the file has other content, can't be loaded, is no plugin, or is one for another
/// interface.
[[nodiscard]] const PolicyKind& plugin_kind(const std::string& path, const std::string& content);

[[nodiscard]] PolicyKind plugin_policy();

}  // namespace nn
