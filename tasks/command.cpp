#include "tasks/command.h"

#include "runtime/runtime.h"

namespace tasks {

namespace {

const auto command_task =
    rt::task("command", 1)
        .cpu([](rt::Context& context, base::Program program) -> base::ProgramResult {
          base::ProgramResult result = base::run_program(program, context.stop_token());
          if (result.end == base::ProcessEnd::stopped)
            throw base::Error(base::Errc::cancelled, "stopped on request");
          return result;
        });

}  // namespace

rt::Value<base::ProgramResult> command(const base::Program& program) {
  return command_task(program);
}

}  // namespace tasks
