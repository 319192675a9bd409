#pragma once
// Where the parts of a step may run at the same time. nn/ starts no threads: whoever calls it may
// have some to lend.

#include <memory>
#include <type_traits>

#include "nn/network/workspace.h"

namespace nn {

/// Runs parts that do not depend on each other. Who runs a part never shows in a result.
class Parallel {
 public:
  using Body = void (*)(void* object, int part, Workspace& workspace);

  virtual ~Parallel() = default;

  /// Calls body(object, part, workspace) once for each part in [0, parts), on this thread and any
  /// others that have gone through kern::prepare_thread(), and returns when all have ended. The
  /// workspace is the thread's own; this thread's is the one that it works in already. Rethrows
  /// what a part throws.
  virtual void run(int parts, Body body, void* object) = 0;
};

/// Parallel::run for a function object called as body(part, workspace).
template <class F>
void run_parts(Parallel& parallel, int parts, F&& body) {
  parallel.run(
      parts,
      [](void* object, int part, Workspace& workspace) {
        (*static_cast<std::remove_reference_t<F>*>(object))(part, workspace);
      },
      std::addressof(body));
}

}  // namespace nn
