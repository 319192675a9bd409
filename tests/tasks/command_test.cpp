#include "tasks/command.h"

#include <gtest/gtest.h>

#include "runtime/instance.h"
#include "tests/support/temp_folder.h"

namespace {

TEST(Command, RunsBesideTheDriver) {
  const support::TempFolder folder;
  const base::Program program{.command = {"sh", "-c", "echo $$; cat"},
                              .folder = folder.path().string()};
  rt::Runtime runtime;
  const rt::Value<base::ProgramResult> slow = tasks::command(program);
  const rt::Value<base::ProgramResult> again = tasks::command(program);
  EXPECT_NE(slow.get().output, again.get().output) << "not pure: each call runs";
}

}  // namespace
