// Children under supervision: what is heard of them, and when they are asked to end.

#include "base/process/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/process/start.h"
#include "base/text.h"
#include "tests/base/process/gone.h"
#include "tests/support/child.h"

namespace {

using base::ChildSupervision;
using base::Group;
using base::ProcessEnd;
using base::ProcessLimits;
using std::chrono::milliseconds;
using std::chrono::seconds;

base::Spawned shell(const std::string& script, Group group = Group::own) {
  return base::spawn({.path = "/bin/sh",
                      .words = {"sh", "-c", script},
                      .environment = base::environment_with({}),
                      .group = group},
                     {.output = true});
}

/// The end of a script under limits.
ProcessEnd end_of(const std::string& script, const ProcessLimits& limits,
                  Group group = Group::own) {
  const base::Spawned child = shell(script, group);
  ChildSupervision run(child.process, group, limits);
  run.read(child.output.fd(), [](std::string_view) {});
  run.serve();
  return run.finish().end;
}

TEST(ChildSupervision, HandsOnOutputAsItComes) {
  const base::Spawned child = shell("echo one; sleep 0.3; echo two");
  ChildSupervision run(child.process);
  std::vector<std::string> pieces;
  run.read(child.output.fd(), [&](std::string_view piece) { pieces.emplace_back(piece); });
  run.serve();
  EXPECT_EQ(run.finish().end, ProcessEnd::exited);
  EXPECT_EQ(pieces, (std::vector<std::string>{"one\n", "two\n"}));
}

TEST(ChildSupervision, LeavesItsNumberUntilItIsFinished) {
  const base::Spawned child = shell("kill -INT $$");
  ChildSupervision run(child.process);
  run.serve();
  EXPECT_EQ(::kill(child.process, 0), 0);
  run.cut(ProcessEnd::stopped);
  const base::ProcessOutcome outcome = run.finish();
  EXPECT_EQ(::kill(child.process, 0), -1);
  EXPECT_EQ(outcome.end, ProcessEnd::killed) << "it is too late to ask it";
  EXPECT_EQ(outcome.status, SIGINT);
}

TEST(ChildSupervision, KillsWhatIsLeftOfItsOwnGroupAlone) {
  for (const Group group : {Group::own, Group::ours}) {
    const base::Spawned child = shell("sleep 60 & echo $!", group);
    ChildSupervision run(child.process, group);
    std::string text;
    run.read(child.output.fd(), [&](std::string_view piece) { text += piece; });
    run.serve();
    EXPECT_EQ(run.finish().end, ProcessEnd::exited);
    const int left = std::stoi(text);
    if (group == Group::ours) {
      EXPECT_EQ(::kill(left, SIGKILL), 0);
    }
    EXPECT_TRUE(support::gone(left));
  }
}

TEST(ChildSupervision, EndsWhatShowsNoProgress) {
  const ProcessLimits limits{.stall = milliseconds(400)};
  EXPECT_EQ(end_of("echo begun; sleep 60", limits), ProcessEnd::stalled);
  EXPECT_EQ(end_of("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.1; done", limits),
            ProcessEnd::exited);
}

TEST(ChildSupervision, KillsAfterTheGrace) {
  const std::string deaf = "trap '' TERM; while :; do sleep 0.05; done";
  for (const Group group : {Group::own, Group::ours}) {
    const base::Moment begun = base::now();
    EXPECT_EQ(end_of(deaf, {.time = milliseconds(100), .grace = milliseconds(300)}, group),
              ProcessEnd::timed_out);
    EXPECT_GE(base::now() - begun, milliseconds(400));
    EXPECT_LT(base::now() - begun, seconds(20));
  }
}

TEST(ChildSupervision, AsksWhatIsSuspended) {
  const base::Moment begun = base::now();
  EXPECT_EQ(end_of("trap 'exit 0' TERM; kill -STOP $$; sleep 60",
                   {.time = milliseconds(200), .grace = seconds(30)}),
            ProcessEnd::timed_out);
  EXPECT_LT(base::now() - begun, seconds(20));
}

TEST(ChildSupervision, SaysWhatWasUsed) {
  const base::Spawned child = shell("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done");
  ChildSupervision run(child.process);
  run.serve();
  (void)run.finish();
  EXPECT_GT(run.used().ru_utime.tv_sec * 1000000 + run.used().ru_utime.tv_usec, 1000);
  EXPECT_GT(run.used().ru_maxrss, 100);
}

TEST(ChildSupervision, DoesNotOutliveAnException) {
  for (const Group group : {Group::own, Group::ours}) {
    const base::Spawned child = shell("echo begun; exec sleep 60", group);
    const auto supervise = [&] {
      ChildSupervision run(child.process, group);
      run.read(child.output.fd(), [](std::string_view) { throw std::runtime_error("full"); });
      run.serve();
    };
    EXPECT_THROW(supervise(), std::runtime_error);
    EXPECT_EQ(::kill(child.process, 0), -1);
  }
}

TEST(ChildSupervision, ServesWhatElseIsWatched) {
  const base::Spawned child = shell("sleep 60");
  const base::File ready(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  ChildSupervision run(child.process);
  int calls = 0;
  run.watch(ready.fd(), POLLIN, [&] {
    if (++calls < 3) return;
    run.forget(ready.fd());
    run.cut(ProcessEnd::stopped);
    run.cut(ProcessEnd::flooded);
  });
  run.serve();
  EXPECT_EQ(run.finish().end, ProcessEnd::stopped) << "the first reason counts";
  EXPECT_EQ(calls, 3);
}

/// Nothing tells of the end where a descriptor is lacking for that.
TEST(ChildSupervision, NeedsNoFileOfItsOwn) {
  const std::string said = support::in_child([] {
    const base::Spawned child = shell("sleep 0.1; exit 5");
    const rlimit limit{3, 3};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ChildSupervision run(child.process);
    const base::File more(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    run.serve();
    return base::cat(more ? "there is one; " : "", "status ", run.finish().status);
  });
  EXPECT_EQ(said, "status 5");
}

}  // namespace
