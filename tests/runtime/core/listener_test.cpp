// What bodies say while they run.
#include "runtime/listener.h"

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;

const auto counts = rt::task("counts").cpu([](rt::Context& context, int to) {
  for (int i = 0; i < to; ++i) context.tell(std::to_string(i) + " ");
  return to;
});
const auto shouts = rt::task("shouts").cpu([](rt::Context& context) {
  context.tell(std::string((256 << 10) + 1, 'a'));
  return 1;
});

class Listeners : public RuntimeTest {};

TEST_F(Listeners, HearEachTaskInOrder) {
  const rt::Value<int> one = counts(3);
  const rt::Value<int> other = counts(2);
  std::string heard;
  std::string of_other;
  const rt::Listener first(one, [&](std::string_view text) { heard += text; });
  const rt::Listener second(other, [&](std::string_view text) { of_other += text; });
  rt::wait_all();
  EXPECT_EQ(heard, "0 1 2 ");
  EXPECT_EQ(of_other, "0 1 ");
}

TEST_F(Listeners, HearNothingOnceTheyAreGone) {
  const rt::Value<int> value = counts(3);
  std::optional<rt::Listener> listener;
  int heard = 0;
  listener.emplace(value, [&](std::string_view) {
    ++heard;
    listener.reset();
  });
  EXPECT_EQ(value.get(), 3);
  rt::wait_all();
  EXPECT_EQ(heard, 1);
}

TEST_F(Listeners, OfAValueThatIsThereHearNothing) {
  const rt::Value<int> value = rt::value(3);
  const rt::Listener listener(value, [](std::string_view) { ADD_FAILURE(); });
  rt::wait_all();
}

TEST_F(Listeners, TooMuchAtATimeIsAnError) {
  const rt::Value<int> value = shouts();
  EXPECT_THROW((void)value.get(), rt::TaskError);
}

}  // namespace
