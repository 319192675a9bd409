// What is known about a task before any call: its parameters, bodies and settings.
#pragma once

#include <any>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "runtime/context.h"
#include "runtime/core/pace.h"
#include "runtime/core/version.h"
#include "runtime/failure.h"
#include "runtime/resources.h"

namespace rt::inline v0 {

/// Whether the results of a pure task go into the store.
enum class Keep : std::uint8_t {
  worth,   ///< when computing them again takes longer than reading them (Config::worth_keeping
           ///< decides)
  always,  ///< results that a restart must find, such as checkpoints
  never,   ///< results that are quicker to compute, or found elsewhere
};

namespace detail {

enum class Mode : std::uint8_t { constant, in, inout, out, commutative, redux, file_in, file_out };

/// What stands behind a commutative or redux parameter: calls of small tasks of its type.
struct FoldOps {
  Held (*begin)(Held old) = nullptr;               ///< commutative: the common base, nobody else's
  BoxRef (*identity)(const void* like) = nullptr;  ///< redux: where a partial starts
  /// redux: calls the task that adds `from` to `into`, and returns what it makes: `result`, a
  /// version that was handed out before, or with null a new one.
  Held (*combine)(Held into, const Held& from, bool pure, Version* result) = nullptr;
};

/// One parameter of a task. `input` and `output` index the node's inputs and outputs; kNone: there
/// is none.
struct Parameter {
  static constexpr std::uint8_t kNone = 255;
  Mode mode = Mode::constant;
  std::uint8_t input = kNone;
  std::uint8_t output = kNone;
  const TypeOps* ops = nullptr;
  const FoldOps* fold = nullptr;
};

struct TaskInfo;

/// The shape of a task's calls: one constant object for each R(P...).
struct Signature {
  std::span<const Parameter> parameters;
  std::uint8_t inputs = 0;
  std::uint8_t outputs = 0;  ///< the result is the last one, always there
  const TypeOps* result = nullptr;
  bool with_commutative = false;
  bool with_files = false;
  void (*encode_constants)(const Node& node, Writer& to) = nullptr;
  std::string (*describe_constant)(const Node& node, unsigned parameter) = nullptr;
  void (*destroy_constants)(Node& node) noexcept = nullptr;
  /// A call with the constants that `encode_constants` wrote, and nothing bound; one reference.
  /// Throws base::Error (data) for bytes that are not the form of such constants.
  Node* (*revive)(const TaskInfo& info, Reader& constants) = nullptr;
};

/// A body with its parameters taken from `slots`: for each data parameter its object, for each file
/// its path.
using Body = void (*)(Node& node, Context& context, void* const* slots, BoxRef& result);

class PackCalls;
/// A body for several calls.
using PackBody = void (*)(PackCalls& calls, Context& context);

inline constexpr unsigned kMostParameters = 64;

struct TaskInfo : std::enable_shared_from_this<TaskInfo> {
  std::string name;
  int version = 1;
  const Signature* signature = nullptr;
  const std::type_info* type = nullptr;  ///< of the signature
  Body cpu = nullptr;
  Body cuda = nullptr;
  Body simulated = nullptr;
  PackBody pack = nullptr;
  PackFit (*pack_fit)(const Node& node, void* const* slots) = nullptr;  ///< beside `pack`
  bool pure = false;
  bool late = false;    ///< defined after rt::init: no agent would know it
  bool inside = false;  ///< of the runtime's own making: it stays in this process
  bool long_running = false;
  Keep keep = Keep::worth;
  int retries = 0;
  OnFailure last = OnFailure::cancel_successors;
  std::vector<BoxRef> defaults;  ///< of `ignore`: one for each `out` parameter, then the result
  Resources needs;
  Resources (*needs_of)(const Node& node) = nullptr;
  double (*cost_of)(const Node& node) = nullptr;
  Work (*work_of)(const Node& node, void* const* slots) = nullptr;
  int priority = 0;
  int (*priority_of)(const Node& node) = nullptr;

  [[nodiscard]] bool keeps_inputs() const noexcept {
    return retries > 0 || last == OnFailure::ignore;
  }

  /// Learned while running. Ranks, never decides.
  [[nodiscard]] Pace& pace_on(Device kind) const noexcept {
    return paces[kind == Device::cpu ? 0 : 1];
  }
  mutable std::array<Pace, 2> paces;
  /// This definition, or an equal one made before, kept for the life of the process.
  mutable std::atomic<const TaskInfo*> registered{nullptr};

  TaskInfo();
  TaskInfo(const TaskInfo& other);
  TaskInfo& operator=(const TaskInfo&) = delete;
  ~TaskInfo();
};

/// What tells signatures apart in every process that runs the same program.
[[nodiscard]] std::uint64_t signature_id(const TaskInfo& info);

/// Throws base::Error (usage) for two definitions that differ in nothing but their bodies.
void require_distinct_tasks();

/// The registered definition of a task of that name, version and signature, from among those that
/// exist now; null if there is none.
[[nodiscard]] const TaskInfo* find_task(std::string_view name, int version,
                                        std::uint64_t signature);

/// The registered definition equal to `info`, which is kept if there is none. Throws base::Error
/// (usage) when a pure task of the same name and version has other bodies: their results would be
/// taken for each other.
const TaskInfo* register_task(const std::shared_ptr<const TaskInfo>& info);

}  // namespace detail
}  // namespace rt::inline v0
