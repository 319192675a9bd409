#include "runtime/core/hooks.h"

#include <dlfcn.h>

#include <mutex>
#include <vector>

#include "runtime/core/engine.h"
#include "runtime/core/hosted.h"
#include "runtime/process.h"

namespace rt::inline v0 {

namespace detail {

namespace {

struct Hooks {
  std::mutex mutex;
  std::vector<void (*)()> functions;
};

Hooks& hooks() {
  static Hooks all;
  return all;
}

/// Libraries that bring threads of their own, when the program happens to have loaded them.
void one_library_thread() noexcept {
  for (const char* name :
       {"openblas_set_num_threads", "omp_set_num_threads", "MKL_Set_Num_Threads"}) {
    if (void* function = ::dlsym(RTLD_DEFAULT, name)) reinterpret_cast<void (*)(int)>(function)(1);
  }
}

}  // namespace

void run_worker_hooks() noexcept {
  static thread_local std::size_t done = 0;
  if (done == 0) one_library_thread();
  Hooks& all = hooks();
  std::vector<void (*)()> functions;
  {
    const std::scoped_lock lock(all.mutex);
    functions = all.functions;
  }
  for (; done < functions.size(); ++done) functions[done]();
}

}  // namespace detail

void on_worker_start(void (*function)()) {
  detail::require_before_init("on_worker_start()");
  {
    detail::Hooks& all = detail::hooks();
    const std::scoped_lock lock(all.mutex);
    for (void (*known)() : all.functions) {
      if (known == function) return;
    }
    all.functions.push_back(function);
  }
  if (detail::Engine* engine = detail::Engine::current()) engine->run_hooks();
}

}  // namespace rt::inline v0
