#include "hpo/serve/path.h"

#include <gtest/gtest.h>

namespace hpo::serve {
namespace {

using Steps = std::vector<std::string>;

TEST(Path, IsItsSteps) {
  EXPECT_EQ(path_steps("/"), Steps{""});
  EXPECT_EQ(path_steps("/s/a%20b/?from=3"), (Steps{"s", "a b", ""}));
  EXPECT_EQ(path_steps("/s/%C3%A4/events"), (Steps{"s", "\u00e4", "events"}));
  EXPECT_EQ(path_steps("/.hidden"), Steps{".hidden"});
}

TEST(Path, NeverLeavesTheFolder) {
  for (const char* target : {"/..", "/../etc/passwd", "/s/../x/", "/s/%2e%2e/", "/s/%2E%2e%2f/",
                             "/s/./", "/s/%2e/", "/s//x", "//etc", "/s/a%2Fb/", "/s/%2fetc/",
                             "/s/a%00b/", "/%", "/%4", "/%zz", "/s/a%", "s", ""})
    EXPECT_FALSE(path_steps(target).has_value()) << target;
}

}  // namespace
}  // namespace hpo::serve
