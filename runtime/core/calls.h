// The steps of a call, for the templates of runtime/task.h.
#pragma once

#include <filesystem>
#include <source_location>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/core/bodies.h"

namespace rt::inline v0::detail {

/// Checks that a task may be called here and now, and returns the registered definition.
const TaskInfo* begin_call(const std::shared_ptr<const TaskInfo>& info,
                           const std::source_location& where);

/// Finds out what the node needs and where it will run. Throws base::Error (no_device, usage) for
/// what the machine does not have. Before anything is bound, so that a refused call changes
/// nothing.
void check_needs(Node& node);

/// Checks one argument. Throws base::Error (usage) for an empty Value where one is needed.
void check_argument(const Node& node, unsigned parameter, const Held& argument);

/// An argument that a call writes, or a file that it uses.
struct Written {
  const void* value = nullptr;  ///< the Value
  const std::filesystem::path* file = nullptr;
};
/// Checks the arguments, one for each parameter. Throws base::Error (usage) for a Value that is to
/// be written twice, and for a file that is to be written and used once more: such a call would
/// wait for itself.
void check_distinct(const Node& node, std::span<const Written> arguments);

/// Makes the node read the argument.
void bind_read(Node& node, unsigned parameter, const Held& argument);
/// Makes the node write the argument, and returns the version that the argument names from then on:
/// of an inout or out argument `result`, or with null a new one.
[[nodiscard]] Held bind_write(Node& node, unsigned parameter, const Held& argument,
                              Version* result);
/// Makes the node read or write the file, after those that use it before. `known`: the key of its
/// content, where that is known; else a pure node reads the file for it. Throws base::Error
/// (storage) for a file that a pure node is to read and that cannot be read.
void bind_file(Node& node, unsigned parameter, const std::filesystem::path& path,
               base::Key known = {});

/// A file whose content somebody has looked at.
struct KnownFile {
  std::filesystem::path path;
  base::Key key;
};

/// Binds a call that came from another process: `inputs` are what it reads, in order, but for
/// files, whose paths are in `files`. Returns what it makes, in order; empty where that has no
/// name. Throws as bind_file does.
[[nodiscard]] std::vector<Held> bind_revived(Node& node, std::span<const Held> inputs,
                                             std::span<const KnownFile> files);

/// Takes the node over; returns its result.
[[nodiscard]] Held submit_call(Node* node);

/// A node in the making; given back if the call throws. Its inout argument becomes `result`, a
/// version that was handed out before, or with null a new one.
template <class C>
class NewNode {
 public:
  NewNode(const std::shared_ptr<const TaskInfo>& info, const std::source_location& where,
          Version* result = nullptr)
      : info_(begin_call(info, where)), where_(where), result_(result) {}
  NewNode(const NewNode&) = delete;
  NewNode& operator=(const NewNode&) = delete;
  ~NewNode() {
    if (node_ != nullptr) node_->unref();
  }

  template <class... P, class... A>
  void make(A&... arguments) {
    static_assert(alignof(C) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                  "rt: a constant may not be over-aligned: pass it as a value");
    void* memory = pool_take(sizeof(C));
    try {
      node_ = new (memory) C(info_, keep<P>(arguments)...);
    } catch (...) {
      pool_give(memory, sizeof(C));
      throw;
    }
    node_->where = where_;
    check_needs(*node_);
    [[maybe_unused]] unsigned i = 0;
    (check<P>(i++, arguments), ...);
    if constexpr ((0 + ... + int{Traits<P>::outputs > 0}) > 1) {
      const Written written[] = {written_of<P>(arguments)...};
      check_distinct(*node_, written);
    }
    // Reads first: what is read is what the Value names before the call.
    i = 0;
    (bind<P, true>(i++, arguments), ...);
    i = 0;
    (bind<P, false>(i++, arguments), ...);
  }
  [[nodiscard]] Node* release() noexcept { return std::exchange(node_, nullptr); }

 private:
  template <class P, class A>
  static Kept<P> keep([[maybe_unused]] A& argument) {
    if constexpr (kIsConstant<P>) {
      return std::move(argument);
    } else {
      return {};
    }
  }
  template <class P, class A>
  void check([[maybe_unused]] unsigned i, [[maybe_unused]] A& argument) {
    if constexpr (!kIsConstant<P> && !kIsFile<P>) check_argument(*node_, i, argument.version());
  }
  template <class P, class A>
  static Written written_of([[maybe_unused]] const A& argument) {
    constexpr Mode mode = Traits<P>::mode;
    if constexpr (kIsFile<P>) {
      return {nullptr, &argument};
    } else if constexpr (kIsConstant<P> || mode == Mode::in) {
      return {};
    } else {
      return {&argument, nullptr};
    }
  }
  /// One parameter, if it is one that only reads, or one that does not.
  template <class P, bool Reads, class A>
  void bind([[maybe_unused]] unsigned i, [[maybe_unused]] A& argument) {
    constexpr Mode mode = Traits<P>::mode;
    constexpr bool reads = mode == Mode::in || mode == Mode::file_in;
    if constexpr (kIsConstant<P> || reads != Reads) {
      return;
    } else if constexpr (kIsFile<P>) {
      bind_file(*node_, i, argument);
    } else if constexpr (reads) {
      bind_read(*node_, i, argument.version());
    } else {
      using V = std::remove_reference_t<A>;
      argument = V(bind_write(*node_, i, argument.version(), result_));
    }
  }

  const TaskInfo* info_;
  std::source_location where_;
  Version* result_;
  C* node_ = nullptr;
};

}  // namespace rt::inline v0::detail
