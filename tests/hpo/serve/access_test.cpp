#include "hpo/serve/access.h"

#include <gtest/gtest.h>

namespace hpo::serve {
namespace {

const Access kAlone("", 8421, "secret", false);

bool is_named(const Access& access, const std::string& host, const std::string& local = "") {
  return access.names_us({.host = host, .local_address = local});
}

TEST(Access, OnlyNamesOfThisServerAreTaken) {
  for (const char* host :
       {"localhost", "localhost:8421", "LOCALHOST:9000", "127.0.0.1:8421", "[::1]:8421"})
    EXPECT_TRUE(is_named(kAlone, host)) << host;
  for (const char* host :
       {"", "evil.example", "evil.example:8421", "localhost.evil.example", "localhost:8421:1",
        "localhost:", "localhost:x", "localhost:0", "localhost:70000", "127.0.0.1.nip.io",
        "127.0.0.2", "0.0.0.0:8421", "localhost@evil.example", "[::1"})
    EXPECT_FALSE(is_named(kAlone, host)) << host;
}

TEST(Access, AnAddressInFiguresIsTakenWhereTheRequestCameByIt) {
  EXPECT_TRUE(is_named(kAlone, "10.0.0.7:8421", "10.0.0.7"));
  EXPECT_FALSE(is_named(kAlone, "10.0.0.8:8421", "10.0.0.7"));
  EXPECT_TRUE(is_named(kAlone, "[fe80::1]:8421", "fe80::1"));
  const Access node("node7", 8421, "secret", true);
  EXPECT_TRUE(is_named(node, "node7:8421"));
  EXPECT_FALSE(is_named(node, "node8:8421"));
}

TEST(Access, OriginsOfOtherServersAreNotOurs) {
  const std::string host = "localhost:8421";
  EXPECT_TRUE(Access::is_own_origin({.host = host, .origin = "http://localhost:8421"}));
  for (const char* origin :
       {"", "null", "https://localhost:8421", "http://localhost:8422", "http://localhost",
        "http://evil.example", "http://localhost:8421.evil.example"})
    EXPECT_FALSE(Access::is_own_origin({.host = host, .origin = origin})) << origin;
}

TEST(Access, TheTokenIsInACookieOrAField) {
  EXPECT_TRUE(kAlone.has_token({.cookie = "trellis-8421=secret"}));
  EXPECT_TRUE(kAlone.has_token({.cookie = "a=b; trellis-8421=secret; c=d"}));
  EXPECT_TRUE(kAlone.has_token({.authorization = "Bearer secret"}));
  for (const char* cookie : {"", "trellis-8421=", "trellis-8421=secre", "trellis-8421=secrets",
                             "trellis-8422=secret", "xtrellis-8421=secret", "secret"})
    EXPECT_FALSE(kAlone.has_token({.cookie = cookie})) << cookie;
  EXPECT_FALSE(kAlone.has_token({.authorization = "Basic secret"}));
  EXPECT_FALSE(Access("", 8421, "", false).has_token({.authorization = "Bearer "}));
  EXPECT_EQ(kAlone.cookie(), "trellis-8421=secret; Path=/; HttpOnly; SameSite=Strict");
}

TEST(Access, ReadingNeedsTheTokenWhereOthersReachTheServer) {
  EXPECT_TRUE(kAlone.may_read({}));
  const Access open("0.0.0.0", 8421, "secret", true);
  EXPECT_FALSE(open.may_read({}));
  EXPECT_TRUE(open.may_read({.cookie = "trellis-8421=secret"}));
}

TEST(Access, TokensAreLongAndNew) {
  const std::string one = new_token();
  EXPECT_EQ(one.size(), 64u);
  EXPECT_NE(one, new_token());
  EXPECT_TRUE(equal_secrets(one, one));
  EXPECT_FALSE(equal_secrets(one, new_token()));
}

}  // namespace
}  // namespace hpo::serve
