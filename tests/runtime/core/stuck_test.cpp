// Waiting for what can never come: an error that names the task and the promise, not a hang.
#include <chrono>
#include <source_location>
#include <thread>

#include "base/log.h"
#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;

const auto add = rt::task("add").cpu([](rt::in<double> a, rt::in<double> b) { return *a + *b; });
const auto half = rt::task("half it").cpu([](rt::in<double> x) { return *x / 2; }).pure();
const auto sleepy = rt::task("sleepy").cpu(
    [](int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); });

class Stuck : public RuntimeTest {};

std::string line(unsigned number) { return "stuck_test.cpp:" + std::to_string(number); }

unsigned here(std::source_location where = std::source_location::current()) { return where.line(); }

/// The message of the base::Error that the action ends with.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const base::Error& e) {
    EXPECT_EQ(e.kind(), base::Errc::usage);
    return e.what();
  }
  return "no error";
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << word << "\nin: " << message;
  }
}

TEST_F(Stuck, WaitAllNamesTheTaskAndThePromise) {
  const unsigned made = here() + 1;
  rt::Promise<double> p;
  const rt::Value<double> sum = add(p.value(), rt::value(1.0));
  const rt::Value<double> after = add(sum, sum);
  expect_words(error_of([] { rt::wait_all(); }),
               {"rt::wait_all: ", "task 'add'", line(made + 1), "the promise made at", line(made)});
  EXPECT_FALSE(after.ready()) << "the tasks still wait";
  p.set(2.0);
  rt::wait_all();
  EXPECT_EQ(after.get(), 6);
}

TEST_F(Stuck, GetNamesThePromiseThatItsOwnTaskWaitsFor) {
  rt::Promise<double> other;
  const auto elsewhere = add(other.value(), other.value());
  const unsigned made = here() + 1;
  rt::Promise<double> p;
  const auto value = add(rt::value(1.0), add(p.value(), rt::value(1.0)));
  expect_words(error_of([&] { (void)value.get(); }), {"Value::get: ", "task 'add'", line(made)});
  p.set(1.0);
  EXPECT_EQ(value.get(), 3) << "a wait that was given up leaves nothing behind";
  other.set(1.0);
}

TEST_F(Stuck, PureTasksBehindAPromise) {
  const unsigned made = here() + 1;
  rt::Promise<double> p;
  const auto quarter = half(half(p.value()));
  expect_words(error_of([&] { (void)quarter.get(); }), {"task 'half it'", line(made)});
  p.set(8.0);
  EXPECT_EQ(quarter.get(), 2);
}

TEST_F(Stuck, ThePromiseItself) {
  const unsigned made = here() + 1;
  const rt::Promise<int> p;
  const rt::Value<int> value = p.value();
  expect_words(error_of([&] { (void)value.get(); }), {"Value::get: ", line(made), "not set"});
  p.set(3);
  EXPECT_EQ(value.get(), 3);
}

TEST_F(Stuck, GroupWait) {
  rt::Promise<double> outside;
  const auto other = add(outside.value(), outside.value());
  const unsigned made = here() + 1;
  rt::Promise<double> p;
  rt::Group group("g");
  {
    const auto scope = group.enter();
    (void)add(p.value(), p.value());
  }
  expect_words(error_of([&] { group.wait(); }), {"Group::wait: ", "task 'add'", line(made)});
  p.set(1.0);
  EXPECT_NO_THROW(group.wait());
  outside.set(1.0);
}

TEST_F(Stuck, AsCompleted) {
  const unsigned made = here() + 1;
  rt::Promise<double> p;
  const std::vector<rt::Value<double>> values{add(rt::value(1.0), rt::value(1.0)),
                                              add(p.value(), p.value())};
  std::size_t seen = 0;
  const std::string message = error_of([&] {
    for ([[maybe_unused]] const std::size_t i : rt::as_completed(values)) ++seen;
  });
  EXPECT_EQ(seen, 1U);
  expect_words(message, {"rt::as_completed: ", "task 'add'", line(made)});
  p.set(1.0);
}

TEST_F(Stuck, ACoroutineThatNothingBringsOn) {
  const unsigned made = here() + 1;
  rt::Promise<int> p;
  const auto waits = [](rt::Value<int> v) -> rt::Async<int> { co_return co_await v; };
  expect_words(error_of([&] { (void)rt::run(waits(p.value())); }), {"rt::run: ", line(made)});
  p.set(1);
  EXPECT_EQ(rt::run(waits(p.value())), 1);
}

TEST_F(Stuck, ATaskBehindACoroutineWhileTheDriverBlocks) {
  const auto slow = []() -> rt::Async<double> {
    const rt::Value<double> first = add(rt::value(1.0), rt::value(1.0));
    co_return co_await first;
  };
  rt::Promise<double> go;
  const auto later = [](rt::Value<double> v) -> rt::Async<double> { co_return co_await v; };
  const unsigned started = here() + 1;
  const rt::Value<double> result = rt::spawn(later(go.value()));
  const rt::Value<double> sum = add(result, result);
  expect_words(error_of([&] { (void)sum.get(); }),
               {"task 'add'", "the coroutine started at", line(started)});
  go.set(rt::run(slow()));
  EXPECT_EQ(rt::run(later(sum)), 4);
}

TEST_F(Stuck, WhatRunsIsWaitedForHoweverLong) {
  const rt::Promise<double> p;
  const rt::Value<double> held = p.value();
  for (int i = 0; i < 3; ++i) sleepy(60);
  EXPECT_NO_THROW(rt::wait_all()) << "nothing waits for the promise";
  const auto behind = add(held, held);
  const auto begin = std::chrono::steady_clock::now();
  sleepy(100);
  EXPECT_THROW(rt::wait_all(), base::Error);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
  p.set(1.0);
  EXPECT_EQ(behind.get(), 2);
}

TEST_F(Stuck, TheRuntimeEndsAndSaysWhatItCancelled) {
  std::vector<std::string> warnings;
  base::set_log_sink([&](base::LogLevel, std::string_view text) { warnings.emplace_back(text); });
  const unsigned made = here() + 1;
  rt::Promise<double> p;
  const rt::Value<double> sum = add(p.value(), rt::value(1.0));
  const rt::Value<double> after = half(add(sum, sum));
  after.demand();
  runtime.reset();
  base::set_log_sink({});
  ASSERT_EQ(warnings.size(), 1U);
  expect_words(warnings.front(), {"task 'add'", line(made + 1), line(made)});
  EXPECT_EQ(sum.state(), rt::State::cancelled);
  expect_words(error_of([&] { (void)sum.get(); }), {"the Runtime ended", line(made)});
}

}  // namespace
