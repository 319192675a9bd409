// The whole runtime: typed tasks with automatic dependencies on CPU and GPU.
//
// Where to look:
//   task.h      tasks and their settings         value.h    values, promises
//   access.h    how bodies use their arguments   async.h    coroutines
//   failure.h   policies and exceptions          when.h     waiting for several values
//   gpu_failure.h   GPUs that fail for good
//   group.h     cancelling together              loop.h     the driver thread's loop
//   instance.h  the Runtime, config.h, summary.h, store.h
//   init.h      programs that may run on several machines
//   process.h   what a program says once: its arithmetic, how workers begin
#pragma once

#include "runtime/access.h"
#include "runtime/async.h"
#include "runtime/config.h"
#include "runtime/context.h"
#include "runtime/failure.h"
#include "runtime/gpu_failure.h"
#include "runtime/group.h"
#include "runtime/init.h"
#include "runtime/instance.h"
#include "runtime/listener.h"
#include "runtime/loop.h"
#include "runtime/on.h"
#include "runtime/process.h"
#include "runtime/resources.h"
#include "runtime/store.h"
#include "runtime/summary.h"
#include "runtime/task.h"
#include "runtime/value.h"
#include "runtime/when.h"
