#include "tasks/command.h"

#include "runtime/runtime.h"

namespace tasks {

namespace {

const auto& command_task() {
  static const auto task =
      rt::task("command", 1).cpu([](rt::Context& context, Program program) -> ProgramResult {
        ProgramResult result = run_program(program, context.stop_token());
        if (result.end == ProgramEnd::stopped)
          throw base::Error(base::Errc::cancelled, "stopped on request");
        return result;
      });
  return task;
}

}  // namespace

rt::Value<ProgramResult> command(const Program& program) { return command_task()(program); }

}  // namespace tasks
