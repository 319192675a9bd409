#include "hpo/driver/attempt_end.h"

#include <new>
#include <string>

#include "base/process/no_more.h"
#include "base/text.h"
#include "hpo/driver/trial_work.h"
#include "runtime/failure.h"
#include "tasks/tasks.h"

namespace hpo {

namespace {

/// What a task's exception says without the worker and the attempt, which differ from run to run.
std::string reason_of(const base::Error& error) {
  const auto* task = dynamic_cast<const rt::TaskError*>(&error);
  return task ? base::cat(task->details().task, ": ", task->details().reason) : error.what();
}

}  // namespace

std::optional<Ended> attempt_end(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const TrialFailure& failure) {
    return Ended{TrialState::failed, failure.cause(), failure.what()};
  } catch (const base::Error& error) {
    if (error.kind() == base::Errc::no_device || dynamic_cast<const base::NoMore*>(&error))
      return {};
    // What no task says is of the study's own folder: the next trial would fail by it, too.
    if (error.kind() == base::Errc::storage && !dynamic_cast<const rt::TaskError*>(&error))
      return {};
    try {
      std::rethrow_if_nested(error);
    } catch (const rt::NoRoom&) {
      return Ended{TrialState::failed, Cause::out_of_memory, reason_of(error), /*for_good=*/true};
    } catch (const std::bad_alloc&) {
      return Ended{TrialState::failed, Cause::out_of_memory, reason_of(error)};
    } catch (const base::NoMore&) {
      return {};
    } catch (const tasks::DeviceLost&) {
      return Ended{TrialState::failed, Cause::lost, reason_of(error)};
    } catch (...) {
      // The body's own exception says no more than the reason does.
    }
    return Ended{TrialState::failed, Cause::error, reason_of(error)};
  } catch (const std::bad_alloc&) {
    return Ended{TrialState::failed, Cause::out_of_memory, "out of memory"};
  } catch (const std::exception& error) {
    return Ended{TrialState::failed, Cause::error, error.what()};
  } catch (...) {
    return Ended{TrialState::failed, Cause::error, "an exception without words"};
  }
}

}  // namespace hpo
