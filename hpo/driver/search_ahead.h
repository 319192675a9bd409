#pragma once
// A sampler's work for later proposals, done by a worker.

#include <functional>

namespace hpo {

/// Calls a task that does it, before trials that are ready: proposals need what comes of it sooner
/// than these end. Nothing where `work` is empty. Inside a rt::Runtime with workers.
void search_ahead(std::function<void()> work);

}  // namespace hpo
