#include "runtime/key.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/file.h"
#include "tests/support/temp_folder.h"

namespace {

using support::TempFolder;

TEST(KeyOfFile, DependsOnContentOnly) {
  const TempFolder t;
  base::write_file_atomic(t / "a", std::string(3'000'000, 'x'));
  base::write_file_atomic(t / "b", std::string(3'000'000, 'x'));
  base::write_file_atomic(t / "c", std::string(3'000'001, 'x'));
  EXPECT_EQ(rt::key_of_file(t / "a"), rt::key_of_file(t / "b"));
  EXPECT_NE(rt::key_of_file(t / "a"), rt::key_of_file(t / "c"));
  EXPECT_EQ(rt::key_of_file(base::read_bytes(t / "a")), rt::key_of_file(t / "a"));
  EXPECT_THROW(static_cast<void>(rt::key_of_file(t / "none")), base::Error);
}

}  // namespace
