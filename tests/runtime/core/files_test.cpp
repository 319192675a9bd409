// Files as arguments.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;

const auto write = rt::task("write").cpu(
    [](rt::file_out f, std::string text) { std::ofstream(f.path()) << text; });
const auto read = rt::task("read").cpu([](rt::file_in f) {
  std::string text;
  std::getline(std::ifstream(f.path()), text);
  return text;
});
const auto read_pure = rt::task("read pure")
                           .cpu([](rt::file_in f) {
                             std::string text;
                             std::getline(std::ifstream(f.path()), text);
                             return text;
                           })
                           .pure();
const auto broken = rt::task("broken").cpu([](rt::file_out f) {
  std::ofstream(f.path()) << "half";
  throw std::runtime_error("full");
});

class Files : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    std::string pattern =
        (std::filesystem::temp_directory_path() / "trellis-files-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  void TearDown() override {
    runtime.reset();
    std::filesystem::remove_all(folder);
  }
  std::filesystem::path folder;
};

TEST_F(Files, ACallThatIsRefusedForItsFileLeavesNothingBehind) {
  const auto path = folder / "later.txt";
  EXPECT_THROW((void)read_pure(path), base::Error);
  write(path, "made").get();
  EXPECT_EQ(read_pure(path).get(), "made");
}

TEST_F(Files, ACallThatIsRefusedForItsFileLeavesTheValuesThatItWouldChange) {
  static const auto add =
      rt::task("add").cpu([](rt::inout<double> x, rt::file_in) { *x += 1; }).pure();
  rt::Value<double> x = rt::value(1.0);
  EXPECT_THROW(add(x, folder / "none"), base::Error);
  EXPECT_EQ(x.get(), 1);
  std::ofstream(folder / "none") << "there";
  add(x, folder / "none");
  EXPECT_EQ(x.get(), 2);
}

TEST_F(Files, AFileThatCannotBeReadFailsItsOwnTaskAlone) {
  static const auto one = rt::task("one").cpu([](double x) { return x; });
  static const auto beside =
      rt::task("beside").cpu([](rt::in<double> x, rt::file_in) { return *x; }).pure();
  static const auto use = rt::task("use").cpu([](rt::in<double> x) { return *x; });
  const auto path = folder / "soon gone.txt";
  std::ofstream(path) << "there";
  const rt::Value<double> x = one(1.0);
  const rt::Value<double> y = beside(x, path);
  std::filesystem::remove(path);
  EXPECT_THROW((void)use(y).get(), base::Error);
  EXPECT_EQ(y.state(), rt::State::failed);
  EXPECT_EQ(one(5.0).get(), 5);
}

TEST_F(Files, TheEndOfTheRuntimeWritesThoseThatWereCalledFor) {
  const auto first = folder / "first, with a name that no short string holds.txt";
  const auto second = folder / "second, with a name that no short string holds.txt";
  write(first, "one");
  write(second, "two");
  runtime.reset();
  std::string text;
  EXPECT_TRUE(std::getline(std::ifstream(first), text));
  EXPECT_EQ(text, "one");
  EXPECT_TRUE(std::getline(std::ifstream(second), text));
  EXPECT_EQ(text, "two");
}

TEST_F(Files, OneThatIsReadAndWrittenByOneCallIsRefused) {
  static const auto copy = rt::task("copy").cpu([](rt::file_in from, rt::file_out to) {
    std::filesystem::copy_file(from.path(), to.path());
  });
  static const auto twice = rt::task("twice").cpu([](rt::file_out, rt::file_out) {});
  const auto path = folder / "a.txt";
  write(path, "x").get();
  EXPECT_THROW(copy(path, folder / "." / "a.txt"), base::Error);
  EXPECT_THROW(twice(path, path), base::Error);
  copy(path, folder / "b.txt").get();
  EXPECT_EQ(read(path).get(), "x");
}

TEST_F(Files, ReadersAndWritersFollowEachOther) {
  const auto path = folder / "a.txt";
  std::vector<rt::Value<std::string>> seen;
  for (int i = 0; i < 20; ++i) {
    write(path, std::to_string(i));
    seen.push_back(read(folder / "." / "a.txt"));
    seen.push_back(read(path));
  }
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].get(), std::to_string(i / 2));
}

TEST_F(Files, AWriterFollowsNoPlantedLinks) {
  const auto path = folder / "out.txt", victim = folder / "victim.txt";
  std::ofstream(victim) << "mine";
  std::filesystem::create_symlink(victim, path);
  write(path, "theirs");
  EXPECT_EQ(read(path).get(), "theirs");
  EXPECT_EQ(read(victim).get(), "mine");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

TEST_F(Files, AFailedWriterLeavesNothingAndPoisonsItsReaders) {
  const auto path = folder / "b.txt";
  write(path, "good");
  broken(path);
  const rt::Value<std::string> poisoned = read(path);
  EXPECT_THROW(poisoned.get(), rt::TaskError);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"b.txt"});
  write(path, "again");
  EXPECT_EQ(read(path).get(), "again");
}

TEST_F(Files, ABodyThatMakesNoFileFails) {
  const auto lazy = rt::task("lazy").cpu([](rt::file_out) {});
  const rt::Value<void> end = lazy(folder / "c.txt");
  EXPECT_THROW(end.get(), rt::TaskError);
}

TEST_F(Files, PureReadersAreNamedByContent) {
  std::ofstream(folder / "x.txt") << "same";
  std::ofstream(folder / "y.txt") << "same";
  std::ofstream(folder / "z.txt") << "other";
  const auto x = read_pure(folder / "x.txt");
  const auto y = read_pure(folder / "y.txt");
  EXPECT_EQ(x.key(), y.key());
  EXPECT_NE(x.key(), read_pure(folder / "z.txt").key());
  EXPECT_EQ(x.get(), "same");
}

TEST_F(Files, APureReaderReadsBeforeTheNextWriter) {
  const auto path = folder / "d.txt";
  write(path, "one");
  const rt::Value<std::string> first = read_pure(path);
  write(path, "two");
  const rt::Value<std::string> second = read_pure(path);
  rt::wait_all();
  EXPECT_EQ(second.get(), "two");
  EXPECT_EQ(first.get(), "one");
}

TEST_F(Files, APureReaderThatNobodyWantsHoldsNobodyUp) {
  const auto path = folder / "e.txt";
  write(path, "one");
  (void)read_pure(path);
  write(path, "two");
  EXPECT_EQ(read(path).get(), "two");
}

}  // namespace
