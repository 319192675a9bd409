#include "hpo/import/names.h"

#include <gtest/gtest.h>

namespace hpo {
namespace {

TEST(Names, ArePlainAndToldApart) {
  Names names;
  EXPECT_EQ(names.ours("lr"), "lr");
  EXPECT_EQ(names.ours("net.lr"), "net_lr");
  EXPECT_EQ(names.ours("net lr"), "net_lr_2");
  EXPECT_EQ(names.ours("net_lr"), "net_lr_3");
  EXPECT_EQ(names.ours("net lr"), "net_lr_2") << "the same again";
  EXPECT_EQ(names.ours("3d"), "_3d");
  EXPECT_EQ(names.ours(""), "_");
  EXPECT_EQ(names.ours("args"), "args_2") << "$args stands for all of them";
}

}  // namespace
}  // namespace hpo
