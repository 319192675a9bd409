// What rt::init refuses: tasks that are defined later, and what a program says of all its runtimes.
#include <cstdio>
#include <string>

#include "runtime/runtime.h"

namespace {

const auto early = rt::task("early", 1).cpu([](int x) { return x + 1; }).pure();

/// The message of what it throws.
template <class F>
std::string refused(const F& f) {
  try {
    f();
  } catch (const base::Error& error) {
    return error.kind() == base::Errc::usage ? error.what() : "another kind of error";
  }
  return "nothing";
}

int expect(const std::string& message, const std::string& words) {
  if (message.find(words) != message.npos) return 0;
  std::fprintf(stderr, "expected '%s' in '%s'\n", words.c_str(), message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  char name[] = "late", mine[] = "mine", hosts[] = "--trellis-hosts=a b";
  char* bad[] = {name, mine, hosts, nullptr};
  int count = 3;
  int wrong = expect(refused([&] { rt::init(count, bad); }), "--trellis-hosts: 'a b'");
  wrong += expect(refused([&] { rt::init(argc, argv); }), "was called before");
  rt::Runtime runtime({.executor = rt::Executor::sequential});
  wrong += early(1).get() == 2 ? 0 : 1;
  const auto late = rt::task("late one", 1).cpu([](int x) { return x; });
  wrong += expect(refused([&] { (void)late(1); }), "task 'late one' was defined after rt::init");
  wrong += expect(refused([] { rt::set_fingerprint("x"); }), "set_fingerprint");
  wrong += expect(refused([] { rt::on_worker_start([] {}); }), "on_worker_start");
  return wrong;
}
