#pragma once
// What the bodies of tasks share.

#include <string>
#include <utility>

#include "base/error.h"
#include "kernels/kernels.h"
#include "nn/data/data_error.h"
#include "nn/error.h"
#include "runtime/gpu_failure.h"
#include "tasks/tasks.h"

namespace tasks {

/// Runs `body` and turns nn's exceptions into the runtime's, with the kind a user has to look at.
template <class Body>
decltype(auto) translated(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const nn::DataError& error) {
    throw base::Error(base::Errc::data, error.what());
  } catch (const nn::Error& error) {
    throw base::Error(base::Errc::study, error.what());
  } catch (const kern::DeviceGone& error) {
    rt::report_gpu_failure(error.what());
    throw base::Error(base::Errc::no_device,
                      std::string(error.what()) +
                          ": this process can use the device no more; the same command goes on");
  } catch (const kern::DeviceError& error) {
    throw DeviceLost(error.what());
  }
}

}  // namespace tasks
