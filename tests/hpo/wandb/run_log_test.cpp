#include "hpo/wandb/run_log.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"
#include "tests/hpo/wandb/run_files.h"

namespace hpo::wandb {
namespace {

/// The lines that a run with these records gives, and the line at its end.
std::pair<std::string, std::string> lines_of(const std::vector<std::string>& records) {
  RunFile file;
  for (const std::string& record : records) file.record(record);
  RunLog log;
  std::string lines = log.add(file.text());
  return {lines, log.finish()};
}

TEST(RunLog, HasALineForEachStep) {
  const auto [lines, rest] =
      lines_of({history({{"loss", "0.5"}, {"val.acc", "1e-05"}, {"_step", "0"}}),
                summary({{"loss", "0.5"}, {"_runtime", "3"}}),
                history({{"loss", "NaN"}, {"up", "-Infinity"}, {"step", "7"}})});
  EXPECT_EQ(lines, "{\"loss\": 0.5, \"val.acc\": 1e-05}\n{\"loss\": \"nan\", \"up\": \"-inf\"}\n");
  EXPECT_EQ(rest, "") << "the history has what the summary has";
}

TEST(RunLog, EndsWithWhatTheSummaryAloneHas) {
  const auto [lines, rest] = lines_of({history({{"loss", "0.5"}}), summary({{"best", "1"}}),
                                       summary({{"best", "0.25"}, {"loss.min", "0.125"}}),
                                       summary({{"f1", R"({"max": 0.75})"}})});
  EXPECT_EQ(lines, "{\"loss\": 0.5}\n");
  EXPECT_EQ(rest, "{\"best\": 0.25, \"f1.max\": 0.75, \"loss.min\": 0.125}\n");
}

TEST(RunLog, PassesOverWhatIsNoPlainValue) {
  const auto [lines, rest] =
      lines_of({"", history({{"picture", R"({"_type": "image-file", "width": 3})"}}),
                history({{"list", "[1, 2]"}, {"text", "\"low\""}, {"broken", "{"}}),
                record_of(6, {{"loss", "1"}}), history({})});
  EXPECT_EQ(lines, "{\"text\": \"low\"}\n");
  EXPECT_EQ(rest, "");
}

TEST(RunLog, ReadsTypedValues) {
  base::ProtoMessage items, record;
  const auto add = [&](base::ProtoMessage item) { items.message(1, item); };
  add(base::ProtoMessage().bytes(1, "a").real(6, 0.25));
  add(base::ProtoMessage().bytes(1, "b").number(5, 5));  // zigzag
  add(base::ProtoMessage().bytes(1, "c").number(4, 1));
  add(base::ProtoMessage().bytes(1, "d").bytes(7, "x\"y"));
  add(base::ProtoMessage().bytes(1, "e").bytes(8, "3"));
  record.message(2, items);
  EXPECT_EQ(lines_of({record.text()}).first,
            "{\"a\": 0.25, \"b\": -3, \"c\": true, \"d\": \"x\\\"y\", \"e\": 3}\n");
}

TEST(RunLog, RefusesWhatIsNoMessage) {
  for (const char* bytes : {"\x12\x7f", "\x13", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}) {
    RunFile file;
    file.record(bytes);
    RunLog log;
    EXPECT_THROW((void)log.add(file.text()), base::Error);
  }
}

}  // namespace
}  // namespace hpo::wandb
