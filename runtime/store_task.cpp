#include "runtime/store_task.h"

#include "runtime/core/engine.h"
#include "runtime/task.h"

namespace rt::inline v0 {

namespace {

const auto persist = rt::task("persist", 1)
                         .cpu([](Context&, int) {
                           const auto& store = detail::Engine::current()->config().store;
                           if (store) store->persist();
                         })
                         .priority([](const int& priority) { return priority; });

}  // namespace

Value<void> persist_results(Persist when) {
  return persist(when == Persist::after_others ? -1000 : 1000);
}

}  // namespace rt::inline v0
