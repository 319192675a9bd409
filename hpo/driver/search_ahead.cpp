#include "hpo/driver/search_ahead.h"

#include <utility>

#include "runtime/task.h"

namespace hpo {

namespace {

/// For a worker of this process; anywhere else there is nothing to do.
struct SearchWork {
  std::function<void()> run;
  template <class A>
  void fields(A&) {}
};

const auto& search_task() {
  static const auto task = rt::task("search", 1)
                               .cpu([](const SearchWork& work) {
                                 if (work.run) work.run();
                               })
                               .priority(1);
  return task;
}

}  // namespace

void search_ahead(std::function<void()> work) {
  if (work) search_task()(SearchWork{std::move(work)});
}

}  // namespace hpo
