// Failures: the table of policies, attempts, errors that say where they come from.
#include <atomic>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;
using testing_rt::Vec;

enum class Fault { none, thrown, wrong_shape, cancelled_group, impossible_need };
enum class Policy { retry, ignore, cancel_successors, fail };

std::atomic<int> attempts;

/// The task in the middle of a graph of depth three, with one policy.
template <class P>
auto culprit(P policy, int cpus) {
  return rt::task("culprit")
      .cpu([](rt::inout<Vec> net, Fault fault) -> double {
        ++attempts;
        net->values()[0] = -1;
        if (fault == Fault::thrown) throw std::runtime_error("no convergence");
        if (fault == Fault::wrong_shape) *net = Vec(Vec::Header{net->header().length + 1, 0});
        return 1;
      })
      .needs({.cpus = cpus})
      .on_failure(policy);
}

const auto source = rt::task("source").cpu([] { return Vec(std::vector<double>{42, 0}); });
const auto reader = rt::task("reader").cpu(
    [](rt::in<Vec> net, rt::in<double> loss) { return net->values()[0] + *loss; });
const auto bystander = rt::task("bystander").cpu([](rt::in<double> x) { return *x; });

/// How everything ended: source, culprit's inout and result, its reader, the rest of the group,
/// everything else.
struct States {
  rt::State net, loss, read, rest, root;
  int attempts;
  bool wait_rethrows;
  bool operator==(const States&) const = default;
};

std::ostream& operator<<(std::ostream& to, const States& s) {
  return to << "net " << rt::state_name(s.net) << ", loss " << rt::state_name(s.loss) << ", reader "
            << rt::state_name(s.read) << ", rest of group " << rt::state_name(s.rest) << ", root "
            << rt::state_name(s.root) << ", attempts " << s.attempts
            << (s.wait_rethrows ? ", wait rethrows" : "");
}

template <class P>
States play(P policy, Fault fault) {
  attempts = 0;
  // The bystanders wait for a promise that is kept after the failure, so that "the rest" is still
  // to be run then.
  rt::Promise<double> later;
  rt::Group group("group");
  rt::Value<Vec> net;
  rt::Value<double> loss;
  rt::Value<double> read;
  rt::Value<double> rest;
  rt::Value<double> root = bystander(later.value());
  {
    const auto scope = group.enter();
    rest = bystander(later.value());
    net = source();
    if (fault == Fault::cancelled_group) group.cancel();
    loss = culprit(policy, fault == Fault::impossible_need ? 100000 : 1)(net, fault);
    read = reader(net, loss);
  }
  rt::run([](rt::Value<double> end) -> rt::Async<void> {
    try {
      co_await end;
    } catch (const base::Error&) {
    }
  }(read));
  later.set(3.0);
  bool rethrows = false;
  try {
    rt::wait_all();
  } catch (const rt::TaskError&) {
    rethrows = true;
  }
  return {net.state(), loss.state(), read.state(), rest.state(), root.state(), attempts, rethrows};
}

constexpr auto kReady = rt::State::ready;
constexpr auto kFailed = rt::State::failed;
constexpr auto kCancelled = rt::State::cancelled;

class Policies : public RuntimeTest {};

TEST_F(Policies, Retry) {
  for (const Fault fault : {Fault::thrown, Fault::wrong_shape}) {
    EXPECT_EQ(play(rt::retry(2), fault),
              (States{kFailed, kFailed, kCancelled, kReady, kReady, 3, false}));
  }
}

TEST_F(Policies, Ignore) {
  for (const Fault fault : {Fault::thrown, Fault::wrong_shape}) {
    EXPECT_EQ(play(rt::ignore(0.5), fault),
              (States{kReady, kReady, kReady, kReady, kReady, 1, false}));
  }
}

TEST_F(Policies, CancelSuccessors) {
  for (const Fault fault : {Fault::thrown, Fault::wrong_shape}) {
    EXPECT_EQ(play(rt::cancel_successors, fault),
              (States{kFailed, kFailed, kCancelled, kReady, kReady, 1, false}));
  }
}

TEST_F(Policies, Fail) {
  for (const Fault fault : {Fault::thrown, Fault::wrong_shape}) {
    EXPECT_EQ(play(rt::fail, fault),
              (States{kFailed, kFailed, kCancelled, kCancelled, kCancelled, 1, true}));
  }
}

TEST_F(Policies, ACancelledGroupEndsItsTasksWhateverTheirPolicy) {
  const States expected{kCancelled, kCancelled, kCancelled, kCancelled, kReady, 0, false};
  EXPECT_EQ(play(rt::retry(2), Fault::cancelled_group), expected);
  EXPECT_EQ(play(rt::ignore(0.5), Fault::cancelled_group), expected);
  EXPECT_EQ(play(rt::cancel_successors, Fault::cancelled_group), expected);
  EXPECT_EQ(play(rt::fail, Fault::cancelled_group), expected);
}

TEST_F(Policies, AnImpossibleNeedIsAnErrorAtSubmission) {
  EXPECT_THROW(play(rt::retry(2), Fault::impossible_need), base::Error);
  EXPECT_THROW(play(rt::ignore(0.5), Fault::impossible_need), base::Error);
  EXPECT_THROW(play(rt::cancel_successors, Fault::impossible_need), base::Error);
  EXPECT_THROW(play(rt::fail, Fault::impossible_need), base::Error);
  EXPECT_EQ(attempts, 0);
}

TEST_F(Policies, WithoutAFaultEverythingIsReady) {
  const States expected{kReady, kReady, kReady, kReady, kReady, 1, false};
  EXPECT_EQ(play(rt::retry(2), Fault::none), expected);
  EXPECT_EQ(play(rt::fail, Fault::none), expected);
}

class Failures : public RuntimeTest {};

TEST_F(Failures, RetrySeesTheInputsAsTheyWere) {
  const auto flaky = rt::task("flaky")
                         .cpu([](rt::Context& c, rt::inout<Vec> v, rt::inout<double> x) {
                           for (double& y : v->values()) y += 1;
                           *x += 1;
                           if (c.attempt() < 3) throw std::runtime_error("not yet");
                           return c.attempt();
                         })
                         .on_failure(rt::retry(5));
  rt::Value<Vec> v = rt::value(Vec(std::vector<double>{1, 2}));
  rt::Value<double> x = rt::value(10.0);
  EXPECT_EQ(flaky(v, x).get(), 3);
  EXPECT_EQ(testing_rt::copy_of(v.get()), (std::vector<double>{2, 3}));
  EXPECT_EQ(x.get(), 11);
  EXPECT_EQ(runtime->summary().retried, 2U);
}

TEST_F(Failures, IgnoreLeavesInoutsAndGivesDefaults) {
  const auto broken =
      rt::task("broken")
          .cpu([](rt::inout<Vec> v, rt::out<double> x, rt::out<Vec> w) -> int {
            v->values()[0] = *x = w->values()[0] = -1;
            throw std::runtime_error("always");
          })
          .on_failure(rt::retry(1).then(rt::ignore(2.5, Vec(std::vector<double>{7, 8}), 3)));
  rt::Value<Vec> v = rt::value(Vec(std::vector<double>{1, 2}));
  rt::Value<Vec> w = rt::uninitialised<Vec>({2, 0});
  rt::Value<double> x;
  const rt::Value<int> result = broken(v, x, w);
  EXPECT_EQ(result.get(), 3);
  EXPECT_EQ(x.get(), 2.5);
  EXPECT_EQ(testing_rt::copy_of(v.get()), (std::vector<double>{1, 2}));
  EXPECT_EQ(testing_rt::copy_of(w.get()), (std::vector<double>{7, 8}));
  EXPECT_EQ(runtime->summary().failed, 1U);
}

TEST_F(Failures, WhoWorksOnADefaultChangesItForNobodyElse) {
  const auto broken = rt::task("broken")
                          .cpu([](rt::out<std::string> x) { throw std::runtime_error(*x = "-"); })
                          .on_failure(rt::ignore(std::string("default")));
  const auto longer = rt::task("longer").cpu([](rt::inout<std::string> x) { *x += "!"; });
  for (int i = 0; i < 3; ++i) {
    rt::Value<std::string> x;
    broken(x);
    longer(x);
    EXPECT_EQ(x.get(), "default!");
  }
}

TEST_F(Failures, TheErrorSaysWhatWhereAndWhy) {
  const auto train = rt::task("train")
                         .cpu([](rt::in<Vec>, int steps, std::string) -> double {
                           throw base::Error(base::Errc::data,
                                             "row " + std::to_string(steps) + " is not a number");
                         })
                         .on_failure(rt::retry(1));
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{3, 0}));
  const unsigned line = __LINE__ + 1;
  const rt::Value<double> loss = train(v, 12, "adam");
  const rt::Value<double> later = bystander(bystander(loss));
  try {
    later.get();
    FAIL();
  } catch (const rt::TaskError& e) {
    EXPECT_EQ(e.details().task, "train");
    EXPECT_EQ(e.details().attempt, 2);
    EXPECT_EQ(e.details().attempts, 2);
    EXPECT_EQ(e.details().arguments, "Vec[3], 12, \"adam\"");
    EXPECT_EQ(e.details().reason, "row 12 is not a number");
    EXPECT_EQ(e.details().where.line(), line);
    EXPECT_EQ(e.details().worker.substr(0, 4), "cpu ");
    EXPECT_EQ(e.kind(), base::Errc::data);
    EXPECT_THROW(std::rethrow_if_nested(e), base::Error);
    EXPECT_NE(std::string(e.what()).find("task 'train' failed (attempt 2 of 2) on cpu "),
              std::string::npos);
    EXPECT_NE(std::string(e.what()).find("called at failure_test.cpp:"), std::string::npos);
  }
  EXPECT_EQ(later.state(), rt::State::cancelled);
}

TEST_F(Failures, ThingsThatAreNoExceptionsAreCaughtToo) {
  const auto odd = rt::task("odd").cpu([]() -> int { throw 7; });
  EXPECT_THROW(odd().get(), rt::TaskError);
}

TEST_F(Failures, PoisonRunsDownAVeryLongChain) {
  const auto odd =
      rt::task("odd").cpu([](rt::inout<double>) { throw std::runtime_error("first"); });
  const auto next = rt::task("next").cpu([](rt::inout<double> x) { *x += 1; });
  rt::Value<double> x = rt::value(0.0);
  odd(x);
  for (int i = 0; i < 50000; ++i) next(x);
  try {
    x.get();
    FAIL();
  } catch (const rt::TaskError& e) {
    EXPECT_EQ(e.details().reason, "first");
  }
}

TEST_F(Failures, AfterFailTasksCanBeCalledAgain) {
  const auto fatal =
      rt::task("fatal").cpu([] { throw std::runtime_error("stop"); }).on_failure(rt::fail);
  fatal();
  EXPECT_THROW(rt::wait_all(), rt::TaskError);
  EXPECT_EQ(bystander(rt::value(1.0)).get(), 1);
  EXPECT_NO_THROW(rt::wait_all());
}

TEST_F(Failures, APromiseThatFailsPoisons) {
  rt::Promise<double> p;
  const rt::Value<double> v = bystander(p.value());
  p.fail(std::make_exception_ptr(std::runtime_error("by hand")));
  EXPECT_THROW(v.get(), std::runtime_error);
  EXPECT_EQ(v.state(), rt::State::cancelled);
  EXPECT_THROW(p.set(1.0), base::Error);
}

TEST_F(Failures, APromiseThatNobodyKeepsPoisons) {
  rt::Value<double> v;
  {
    rt::Promise<double> p;
    v = bystander(p.value());
  }
  EXPECT_THROW(v.get(), base::Error);
}

}  // namespace
