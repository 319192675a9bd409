// Random programs: values are made, updated, copied, dropped, asked for, failed, cancelled, stored,
// awaited and merged in any order. What a program gets is checked against plain arithmetic, and
// what it once got of a value it must get again. Under the address sanitizer nothing is pooled, so
// that there a use after the end shows. TRELLIS_WALKS: how many of each kind.
#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;
using testing_rt::Vec;

constexpr std::uint64_t kLength = 16;
constexpr int kFlaky = 13;  ///< a step by so much fails now and then, half-way

std::atomic<unsigned> attempts;

/// One number at a time, so that half of a result can be told from the whole.
void add(Vec& v, int by) {
  std::size_t done = 0;
  for (double& x : v.values()) {
    if (by == kFlaky && ++done == kLength / 2 && attempts.fetch_add(1) * 2654435761u % 8 < 3)
      throw std::runtime_error("half-way");
    x += by;
  }
}

/// The same to the vectors of several calls, an element of each in turn. What is wanted back is
/// given back after any element; some calls are never looked at again, some packs fail as a whole.
struct AddTogether {
  void operator()(rt::Context&, rt::Pack<double(rt::inout<Vec>, int)>& calls) const {
    std::vector<bool> left(static_cast<std::size_t>(calls.size()), true);
    for (std::size_t at = 0; at <= kLength; ++at) {
      for (int i = 0; i < calls.size(); ++i) {
        if (left[static_cast<std::size_t>(i)])
          left[static_cast<std::size_t>(i)] = goes_on(calls, i, at);
      }
    }
  }

 private:
  static bool goes_on(rt::Pack<double(rt::inout<Vec>, int)>& calls, int call, std::size_t at) {
    const std::any& progress = calls.progress(call);
    const std::size_t begin = progress.has_value() ? std::any_cast<std::size_t>(progress) : 0;
    if (at < begin) return true;
    if (at < kLength && calls.is_wanted(call)) {
      calls.give_back(call, at);
      return false;
    }
    return calls.arguments(call, [&](rt::inout<Vec> v, int by) {
      if (at == kLength) {
        calls.finish(call, v->values()[0] * 2);
        return false;
      }
      if (by == kFlaky && at == kLength / 2 && attempts.fetch_add(1) * 2654435761u % 8 < 3) {
        calls.fail(call, std::make_exception_ptr(std::runtime_error("half-way")));
        return false;
      }
      v->values()[at] += by;
      return true;
    });
  }
};
struct AnyStep {
  rt::PackFit operator()(rt::inout<Vec> v, int) const { return {v->values().size(), 5}; }
};

const auto make = rt::task("walk make", 1)
                      .cpu([](int of) { return Vec(std::vector<double>(kLength, of)); })
                      .pure();
const auto noise =
    rt::task("walk noise", 1).cpu([](int of) { return Vec(std::vector<double>(kLength, of)); });
const auto step = rt::task("walk step", 1)
                      .cpu([](rt::inout<Vec> v, int by) {
                        add(*v, by);
                        return v->values()[0] * 2;
                      })
                      .packs(AnyStep{}, AddTogether{})
                      .pure();
const auto impure_step = rt::task("walk impure step", 1)
                             .cpu([](rt::inout<Vec> v, int by) {
                               add(*v, by);
                               return v->values()[0] * 2;
                             })
                             .packs(AnyStep{}, AddTogether{});
const auto fork_of = rt::task("walk fork", 1)
                         .cpu([](rt::in<Vec> v, rt::out<Vec> w, rt::out<double> first) {
                           const auto from = v->values();
                           std::transform(from.begin(), from.end(), w->values().begin(),
                                          [](double x) { return x + 100; });
                           *first = from[0];
                         })
                         .pure();
const auto sum = rt::task("walk sum", 1)
                     .cpu([](rt::in<Vec> a, rt::in<Vec> b) {
                       Vec c(Vec::Header{kLength, 0});
                       for (std::size_t i = 0; i < kLength; ++i)
                         c.values()[i] = a->values()[i] + b->values()[i];
                       return c;
                     })
                     .pure();
const auto shifted =
    rt::task("walk shifted", 1)
        .cpu([](rt::in<double> x, int by) { return Vec(std::vector<double>(kLength, *x + by)); })
        .pure();

/// What is known of a value, shared by all handles on it.
struct Known {
  double content;
  bool uncertain = false;        ///< it, or what it is made of, may fail or be cancelled
  std::set<int> promises;        ///< that it waits for
  std::optional<bool> was_good;  ///< once asked for
};

template <class T>
struct Named {
  rt::Value<T> value;
  std::shared_ptr<Known> known;
};

bool equal(const Vec& v, double expected) {
  return v.values().size() == kLength &&
         std::ranges::all_of(v.values(), [&](double x) { return x == expected; });
}
bool equal(double x, double expected) { return x == expected; }

/// What was got of a value, or that it had none: must be what its arithmetic says and what was seen
/// before.
void note_good(Known& known, bool right) {
  EXPECT_TRUE(right) << "expected " << known.content;
  EXPECT_TRUE(known.was_good.value_or(true)) << "had failed before";
  known.was_good = true;
}
void note_bad(Known& known, const char* what) {
  EXPECT_TRUE(known.uncertain) << what;
  EXPECT_FALSE(known.was_good.value_or(false)) << "was there before: " << what;
  known.was_good = false;
}

class Walk {
 public:
  Walk(std::uint64_t seed, rt::Config config) : random_(seed), runtime_(std::move(config)) {}

  void run(int length) {
    for (int i = 0; i < length && !::testing::Test::HasFailure(); ++i) one();
    if (dice(2) == 0) return;
    while (!promises_.empty()) settle_promise(promises_.begin()->first);
    rt::wait_all();
    for (const auto& named : vecs_) look(named);
    for (const auto& named : numbers_) look(named);
    poll();
  }

 private:
  using Promises = std::map<int, rt::Promise<double>>;

  std::uint64_t dice(std::uint64_t sides) { return random_() % sides; }
  template <class C>
  auto& any(C& all) {
    return all[dice(all.size())];
  }

  void one() {
    in_group_ = !groups_.empty() && dice(3) == 0;
    if (!in_group_) return act();
    const auto scope = any(groups_).enter();
    act();
  }

  void act() {
    const int of = small();
    switch (dice(22)) {
      case 0:
      case 1:
        return add_vec(make(of), known(of));
      case 2:
        return add_vec(noise(of), known(of));
      case 3:
      case 4:
      case 5:
      case 6:
        return update(step);
      case 7:
        return update(impure_step);
      case 8:
        return fork();
      case 9:
        return join();
      case 10:
        return shift();
      case 11:
        if (!vecs_.empty()) vecs_.push_back(any(vecs_));
        return;
      case 12:
      case 13:
        return drop();
      case 14:
        return ask();
      case 15:
      case 16:
        if (!vecs_.empty()) any(vecs_).value.demand();
        if (!numbers_.empty()) any(numbers_).value.demand();
        return;
      case 17:
        return poll();
      case 18:
        return promise();
      case 19:
        return groups();
      case 20:
        return coroutine();
      default:
        return lost_coroutine();
    }
  }

  int small() { return static_cast<int>(1 + dice(3)); }
  int by() { return dice(4) == 0 ? kFlaky : small(); }

  std::shared_ptr<Known> known(double content, std::initializer_list<const Known*> from = {}) {
    auto made = std::make_shared<Known>(Known{content, in_group_, {}, {}});
    for (const Known* k : from) {
      made->uncertain = made->uncertain || k->uncertain;
      made->promises.insert(k->promises.begin(), k->promises.end());
    }
    return made;
  }
  void add_vec(rt::Value<Vec> value, std::shared_ptr<Known> of) {
    vecs_.push_back({std::move(value), std::move(of)});
  }
  void add_number(rt::Value<double> value, std::shared_ptr<Known> of) {
    numbers_.push_back({std::move(value), std::move(of)});
  }

  template <class Task>
  void update(const Task& task) {
    if (vecs_.empty()) return;
    const int more = by();
    Named<Vec> named = any(vecs_);
    if (dice(2) == 0) {  // the only handle, if it was: then in its place
      std::swap(any(vecs_), vecs_.back());
      named = std::move(vecs_.back());
      vecs_.pop_back();
    }
    auto result = task(named.value, more);
    const double content = named.known->content + more;
    auto of_result = known(content * 2, {named.known.get()});
    auto of_value = known(content, {named.known.get()});
    of_result->uncertain |= more == kFlaky;
    of_value->uncertain |= more == kFlaky;
    if (dice(3) != 0) add_number(std::move(result), std::move(of_result));
    if (dice(8) != 0) add_vec(std::move(named.value), std::move(of_value));
  }

  void fork() {
    if (vecs_.empty()) return;
    const Named<Vec> from = any(vecs_);
    rt::Value<Vec> other = rt::uninitialised<Vec>({kLength, 0});
    rt::Value<double> first;
    fork_of(from.value, other, first);
    if (dice(3) != 0) add_vec(other, known(from.known->content + 100, {from.known.get()}));
    if (dice(3) != 0) add_number(first, known(from.known->content, {from.known.get()}));
  }

  void join() {
    if (vecs_.empty()) return;
    const Named<Vec> a = any(vecs_), b = any(vecs_);
    if (a.known->content + b.known->content > 1e9) return;
    add_vec(sum(a.value, b.value),
            known(a.known->content + b.known->content, {a.known.get(), b.known.get()}));
  }

  void shift() {
    if (numbers_.empty()) return;
    const Named<double> from = any(numbers_);
    const int more = small();
    add_vec(shifted(from.value, more), known(from.known->content + more, {from.known.get()}));
  }

  void drop() {
    const auto from = [&](auto& all) {
      if (all.empty()) return;
      std::swap(any(all), all.back());
      all.pop_back();
    };
    dice(2) == 0 ? from(vecs_) : from(numbers_);
    if (vecs_.size() > 30) from(vecs_);
    if (numbers_.size() > 30) from(numbers_);
  }

  template <class T>
  void look(const Named<T>& named) {
    while (!named.known->promises.empty()) {
      const int first = *named.known->promises.begin();
      settle_promise(first);
      named.known->promises.erase(first);
    }
    try {
      note_good(*named.known, equal(named.value.get(), named.known->content));
    } catch (const std::exception& e) {
      note_bad(*named.known, e.what());
    }
  }

  void ask() {
    if (dice(2) == 0 && !numbers_.empty()) {
      look(any(numbers_));
    } else if (!vecs_.empty()) {
      look(any(vecs_));
    }
  }

  void promise() {
    if (!promises_.empty() && dice(3) == 0) {
      auto at = promises_.begin();
      std::advance(at, dice(promises_.size()));
      return settle_promise(at->first);
    }
    const int number = ++promised_;
    const auto [at, added] = promises_.try_emplace(number);
    auto of = known(number);
    of->uncertain = false;  // a promise belongs to no group
    of->promises.insert(number);
    add_number(at->second.value(), std::move(of));
  }

  void settle_promise(int number) {
    const auto at = promises_.find(number);
    if (at == promises_.end()) return;
    at->second.set(number);
    promises_.erase(at);
  }

  static void poll() {
    try {
      rt::poll();
    } catch (const std::exception&) {  // of a coroutine whose value was dropped
    }
  }

  void groups() {
    if (groups_.empty() || dice(3) == 0) {
      groups_.emplace_back("g");
      if (groups_.size() > 5) groups_.pop_front();
    } else if (dice(2) == 0) {
      any(groups_).cancel();
    } else if (promises_.empty()) {
      any(groups_).wait();
    }
  }

  static rt::Async<double> follow(Named<Vec> from, int more, bool pure) {
    rt::Value<Vec> v = from.value;
    const rt::Value<double> r = pure ? step(v, more) : impure_step(v, more);
    co_await v;
    co_return co_await r;
  }
  static rt::Async<double> follow_all(std::vector<Named<Vec>> from) {
    std::vector<rt::Value<Vec>> values;
    for (const auto& named : from) values.push_back(named.value);
    auto arrivals = rt::as_completed(values);
    double total = 0;
    while (const auto i = co_await arrivals.next()) {
      EXPECT_TRUE(equal(values[*i].get(), from[*i].known->content));
      total += from[*i].known->content;
    }
    co_return total;
  }

  void coroutine() {
    if (vecs_.empty()) return;
    const Named<Vec> from = any(vecs_), other = any(vecs_);
    const int more = small();
    if (dice(2) == 0) {
      add_number(rt::spawn(follow(from, more, dice(2) == 0)),
                 known((from.known->content + more) * 2, {from.known.get()}));
    } else {
      add_number(
          rt::spawn(follow_all({from, other})),
          known(from.known->content + other.known->content, {from.known.get(), other.known.get()}));
    }
    followed_.push_back(std::move(numbers_.back()));
    numbers_.pop_back();
    if (followed_.size() > 6) followed_.pop_front();
  }

  static rt::Async<void> starter(rt::Async<double>* held) { (void)co_await std::move(*held); }
  /// A coroutine that is destroyed while another waits for it.
  void lost_coroutine() {
    if (vecs_.empty()) return;
    if (held_) {
      held_.reset();
      return;
    }
    held_ = std::make_unique<rt::Async<double>>(
        dice(2) == 0 ? follow(any(vecs_), small(), true) : follow_all({any(vecs_), any(vecs_)}));
    starters_.push_back(rt::spawn(starter(held_.get())));
    if (starters_.size() > 6) starters_.pop_front();
  }

  std::mt19937_64 random_;
  std::unique_ptr<rt::Async<double>> held_;  ///< may outlive the Runtime
  rt::Runtime runtime_;
  Promises promises_;
  int promised_ = 0;
  bool in_group_ = false;
  std::deque<rt::Group> groups_;
  std::deque<Named<double>> followed_;
  std::deque<rt::Value<void>> starters_;
  std::vector<Named<Vec>> vecs_;
  std::vector<Named<double>> numbers_;
};

class Walks : public ::testing::TestWithParam<int> {};

TEST_P(Walks, GiveWhatArithmeticSays) {
  const char* asked = std::getenv("TRELLIS_WALKS");
  const int walks = asked != nullptr ? std::atoi(asked) : testing_rt::parallel() ? 20 : 400;
  for (int i = 0; i < walks && !HasFailure(); ++i) {
    const auto seed =
        static_cast<std::uint64_t>(GetParam()) * 1000003 + static_cast<std::uint64_t>(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    rt::Config config = testing_rt::config();
    if (i % 3 != 0) config.store = std::make_shared<rt::Store>();
    if (i % 4 == 3) config.worth_keeping = [](double, std::size_t bytes) { return bytes < 64; };
    if (i % 5 == 4) config.pending = 1;
    for (int round = 0; round < (config.store ? 3 : 1) && !HasFailure(); ++round)
      Walk(seed * 7 + static_cast<std::uint64_t>(round), config).run(60 + 40 * (i % 4));
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Walks, ::testing::Range(1, 5));

}  // namespace
