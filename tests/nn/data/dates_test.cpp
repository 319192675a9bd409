// Dates.

#include <gtest/gtest.h>

#include "nn/data/dates.h"

namespace {

using nn::DateOrder;
using nn::read_date;

TEST(Dates, AreReadInTheirOrder) {
  EXPECT_EQ(read_date("1970-01-01", DateOrder::year_first)->days, 0);
  EXPECT_EQ(read_date("2000/3/1", DateOrder::year_first)->days, 11017);
  EXPECT_EQ(read_date("1.3.2000", DateOrder::day_first)->days, 11017);
  EXPECT_EQ(read_date("3/1/2000", DateOrder::month_first)->days, 11017);
  EXPECT_EQ(read_date("1969-12-31", DateOrder::year_first)->days, -1);
  EXPECT_FALSE(read_date("2000-03-01", DateOrder::year_first)->clock);
}

TEST(Dates, MayHaveATimeOfDay) {
  const auto days = [](const char* text) {
    const auto date = read_date(text, DateOrder::year_first);
    return date && date->clock ? date->days : -1;
  };
  EXPECT_EQ(days("1970-01-03 06:00"), 2.25);
  EXPECT_EQ(days("1970-01-03T06:00:00Z"), 2.25);
  EXPECT_EQ(days("1970-01-03T08:00:00+02:00"), 2.25);
  EXPECT_EQ(days("1970-01-03T01:30:00-0430"), 2.25);
  EXPECT_DOUBLE_EQ(days("1970-01-03 6:00:30.5"), 2.25 + 30.5 / 86400);
}

TEST(Dates, MayHaveAZoneBehindTheTime) {
  const auto days = [](const char* text) {
    const auto date = read_date(text, DateOrder::year_first);
    return date ? date->days : -1;
  };
  for (const char* text :
       {"1970-01-03 06:00:00+00", "1970-01-03 06:00:00 UTC", "1970-01-03 06:00:00 +0000",
        "1970-01-03 06:00 GMT", "1970-01-03 08:00:00.000+02", "1970-01-03 08:00 +02:00",
        "1970-01-03 6:00 AM", "1970-01-03 06:00:00am UTC"})
    EXPECT_EQ(days(text), 2.25) << text;
  EXPECT_EQ(days("1970-01-03 12:00 AM"), 2);
  EXPECT_EQ(days("1970-01-03 12:00 PM"), 2.5);
  EXPECT_EQ(days("1970-01-03 06:00 pm"), 2.75);
}

TEST(Dates, MayNameTheMonth) {
  for (const char* text : {"31-Jan-1970", "31 January 1970", "31/JAN/1970", "31.jan.1970"}) {
    ASSERT_TRUE(read_date(text, DateOrder::day_first)) << text;
    EXPECT_EQ(read_date(text, DateOrder::day_first)->days, 30) << text;
    EXPECT_FALSE(read_date(text, DateOrder::month_first)) << text;
  }
  EXPECT_EQ(read_date("Jan 31, 1970 12:00 PM", DateOrder::month_first)->days, 30.5);
  EXPECT_EQ(read_date("1970-Sep-01", DateOrder::year_first)->days, 243);
}

TEST(Dates, MayLeaveOutTheCentury) {
  EXPECT_EQ(read_date("01/31/70", DateOrder::month_first)->days, 30);
  EXPECT_TRUE(read_date("01/31/70", DateOrder::month_first)->short_year);
  EXPECT_FALSE(read_date("01/31/1970", DateOrder::month_first)->short_year);
  EXPECT_EQ(read_date("1.3.2000", DateOrder::day_first)->days,
            read_date("01.03.00", DateOrder::day_first)->days);
  EXPECT_EQ(read_date("1-Mar-68", DateOrder::day_first)->days, 35854);
  for (const char* text : {"1.2.03", "1/2-03", "1/2/3", "1/2/003"})
    EXPECT_FALSE(read_date(text, DateOrder::day_first)) << text;
}

double days_of(const char* text, DateOrder order) {
  const auto date = read_date(text, order);
  return date ? date->days : -1;
}

TEST(Dates, MayBeMonthsAndQuarters) {
  for (const char* text : {"1970-02", "1970/2", "1970M02", "1970-M2", "1970 m02", "02/1970",
                           "2-1970", "Feb 1970", "February, 1970", "feb-1970", "Feb. 1970",
                           "1970-Feb", "1970 Feb", "Feb-70", "Feb '70", "Feb'70"})
    EXPECT_EQ(days_of(text, DateOrder::month), 31) << text;
  for (const char* text :
       {"1970Q2", "1970-Q2", "1970 q2", "Q2 1970", "Q2-1970", "Q2/1970", "2Q1970", "2Q 1970"})
    EXPECT_EQ(days_of(text, DateOrder::month), 90) << text;
  // Mondays by ISO 8601, of years that begin on a Thursday, a Friday and a Monday.
  for (const auto& [text, days] : {std::pair{"1970-W01", -3},
                                   {"1970W02", 4},
                                   {"2021-W01", 18631},
                                   {"2021-W07", 18673},
                                   {"2018-W01", 17532},
                                   {"2020-W53", 18624}})
    EXPECT_EQ(days_of(text, DateOrder::month), days) << text;
  for (const char* text : {"2021-W00", "2021-W54", "2021-W7", "2021-W071", "W07", "2021-07W"})
    EXPECT_FALSE(read_date(text, DateOrder::month)) << text;
  EXPECT_TRUE(read_date("Feb-70", DateOrder::month)->short_year);
  EXPECT_FALSE(read_date("Feb-1970", DateOrder::month)->short_year);
  for (const char* text :
       {"1970",    "1970-13", "1970-00",  "1970.02", "1970 02",    "197002", "13/1970", "Q5 1970",
        "1970Q0",  "1970Q",   "02-70",    "0812-05", "1970-02-01", "Feb",    "Feb 70",  "1970-021",
        "Feb1970", "02 1970", "Mai 1970", ""})
    EXPECT_FALSE(read_date(text, DateOrder::month)) << text;
}

TEST(Dates, MayBeTimesOfDay) {
  for (const char* text : {"06:00", "6:00", "06:00:00", "6:00 AM", "6 am", "6AM", "06:00:00.0",
                           "08:00+02:00", "06:00Z"})
    EXPECT_EQ(days_of(text, DateOrder::clock), .25) << text;
  EXPECT_EQ(days_of("12 PM", DateOrder::clock), .5);
  EXPECT_DOUBLE_EQ(days_of("01:00+02", DateOrder::clock), 23 / 24.0) << "of the day before";
  for (const char* text : {"6", "06", "24:00", "06:60", "13 PM", "0 AM", "6:00:00 x", "1970-01-01",
                           "06:00 06:00", "6 h", ""})
    EXPECT_FALSE(read_date(text, DateOrder::clock)) << text;
}

TEST(Dates, AreNothingElse) {
  for (const char* text : {"",
                           "2000",
                           "2000-13-01",
                           "2000-02-30",
                           "1999-2-29",
                           "2000-01-01x",
                           "2000-01-01 25:00",
                           "2000-01-01 12:60",
                           "2000-01-01 12",
                           "00-01-01",
                           "2000-01-01T12:00+25:00",
                           "2000 01 01",
                           "20000101",
                           "2000-01-01 ",
                           "2000-01-01 12:00 ",
                           "2000-01-01 12:00 CET",
                           "2000-01-01 13:00 PM",
                           "2000-01-01 12:00 +2",
                           "2000-Jam-01",
                           "2000-01-Jan",
                           "Jan-01-Feb"})
    EXPECT_FALSE(read_date(text, DateOrder::year_first).has_value()) << text;
  EXPECT_FALSE(read_date("13/13/2000", DateOrder::day_first).has_value());
  EXPECT_FALSE(read_date("2000-01-01", DateOrder::none).has_value());
}

}  // namespace
