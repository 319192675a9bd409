#include "hpo/log/sqlite.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_folder.h"

namespace hpo::sql {
namespace {

class Statements : public testing::Test {
 protected:
  Statements() { db_.exec("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3)"); }

  support::TempFolder folder_;
  base::Path file_ = folder_ / "file.db";
  Database db_{file_, Access::create};
};

TEST_F(Statements, BeginAnewWhenAskedAgain) {
  {
    Statement first(db_, "SELECT x FROM t WHERE x > ?");
    first.bind(0, std::int64_t{1});
    ASSERT_TRUE(first.step());
    EXPECT_EQ(first.integer(0), 2);
  }
  Statement again(db_, "SELECT x FROM t WHERE x > ?");
  EXPECT_FALSE(again.step()) << "what was bound before is still bound";
  again.bind(0, std::int64_t{0});
  ASSERT_TRUE(again.step());
  EXPECT_EQ(again.integer(0), 1) << "the rows of the last use go on";
}

TEST_F(Statements, OfOneTextAreIndependent) {
  Statement one(db_, "SELECT x FROM t"), other(db_, "SELECT x FROM t");
  ASSERT_TRUE(one.step());
  ASSERT_TRUE(one.step());
  ASSERT_TRUE(other.step());
  EXPECT_EQ(one.integer(0), 2);
  EXPECT_EQ(other.integer(0), 1);
}

TEST_F(Statements, HoldNothingOfTheFileWhenTheyAreOver) {
  {
    Statement begun(db_, "SELECT x FROM t");
    ASSERT_TRUE(begun.step());
  }
  Database other(file_, Access::create);
  other.exec("DROP TABLE t; CREATE TABLE t(y, x); INSERT INTO t VALUES (5, 6)");
  Statement again(db_, "SELECT x FROM t");
  ASSERT_TRUE(again.step());
  EXPECT_EQ(again.integer(0), 6) << "the table is another one";
}

TEST_F(Statements, AreAskedForInAnyNumber) {
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(db_.query_integer(("SELECT 2 * " + std::to_string(i)).c_str()), 2 * i);
}

}  // namespace
}  // namespace hpo::sql
