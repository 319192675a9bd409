// What is done once in every worker thread.
#pragma once

namespace rt::inline v0::detail {

/// On the calling thread: one thread for BLAS and OpenMP, then the functions given to
/// rt::on_worker_start that this thread has not run yet.
void run_worker_hooks() noexcept;

}  // namespace rt::inline v0::detail
