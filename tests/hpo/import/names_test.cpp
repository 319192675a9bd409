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

TEST(Names, ThoseThatMayStayKeepThemselves) {
  Names names;
  for (const char* name : {"enc.lr", "enc_lr", "enc/lr", "enc.lr_2"}) names.keep(name);
  EXPECT_EQ(names.ours("enc.lr"), "enc_lr_2");
  EXPECT_EQ(names.ours("enc_lr"), "enc_lr");
  EXPECT_EQ(names.ours("enc/lr"), "enc_lr_3");
  EXPECT_EQ(names.ours("enc.lr_2"), "enc_lr_2_2");
}

TEST(Names, HaveAnUnderscoreForEachLetterThatIsNoneOfOurs) {
  Names names;
  EXPECT_EQ(names.ours("größe"), "gr__e");
  EXPECT_EQ(names.ours("é"), "_");
}

TEST(Names, LongOnesKeepTheirEnd) {
  Names names;
  const std::string first = names.ours("a." + std::string(200, 'x') + ".noise"),
                    second = names.ours("b." + std::string(200, 'x') + ".noise");
  EXPECT_EQ(first, "noise");
  EXPECT_EQ(names.ours(std::string(100, 'x')).size(), 58U);
  EXPECT_LE(second.size(), 64U);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace hpo
