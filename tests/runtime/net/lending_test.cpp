// Who is lent which workers.
#include "runtime/net/lending.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rt::net {
namespace {

std::vector<Loan> sorted(std::vector<Loan> loans) {
  std::ranges::sort(loans);
  return loans;
}

std::size_t count(const std::vector<Loan>& loans, std::uint32_t borrower) {
  return static_cast<std::size_t>(std::ranges::count(loans, borrower, &Loan::borrower));
}

TEST(Lending, FreeWorkersGoToWhoWishes) {
  const std::vector<Lender> lenders{{2, 1}, {3, 2}};
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 1, .most = 8}};
  EXPECT_EQ(sorted(loans_for(lenders, one, {})),
            (std::vector<Loan>{{2, 1, 7}, {3, 1, 7}, {3, 1, 7}}));
  EXPECT_TRUE(loans_for(lenders, {}, {}).empty());
  EXPECT_TRUE(loans_for({}, one, {}).empty());
}

TEST(Lending, NobodyGetsMoreThanWished) {
  const std::vector<Lender> lenders{{2, 4}};
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 1, .most = 2}};
  EXPECT_EQ(loans_for(lenders, one, {}).size(), 2U);
}

TEST(Lending, FewerThanAreOfUseAreNotLent) {
  const std::vector<Lender> lenders{{2, 1}, {3, 1}};
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 3, .most = 8}};
  EXPECT_TRUE(loans_for(lenders, one, {}).empty());
}

TEST(Lending, WorkersAreDealtEvenly) {
  const std::vector<Lender> lenders{{3, 2}, {4, 2}};
  const std::vector<Borrower> two{{.agent = 1, .wish = 7, .least = 1, .most = 8},
                                  {.agent = 2, .wish = 7, .least = 1, .most = 8}};
  const std::vector<Loan> loans = loans_for(lenders, two, {});
  EXPECT_EQ(count(loans, 1), 2U);
  EXPECT_EQ(count(loans, 2), 2U);
}

TEST(Lending, OneThatHasAllSharesThemWithAnother) {
  const std::vector<Lender> lenders{{3, 2}};
  const std::vector<Loan> now{{3, 1, 7}, {3, 1, 7}};
  const std::vector<Borrower> two{{.agent = 1, .wish = 7, .least = 1, .most = 8},
                                  {.agent = 2, .wish = 7, .least = 1, .most = 8}};
  const std::vector<Loan> loans = loans_for(lenders, two, now);
  EXPECT_EQ(count(loans, 1), 1U);
  EXPECT_EQ(count(loans, 2), 1U);
}

TEST(Lending, WhatIsLentStaysWhereItIs) {
  const std::vector<Lender> lenders{{2, 1}, {3, 1}, {4, 1}};
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 1, .most = 1}};
  for (const std::uint32_t lender : {2U, 3U, 4U}) {
    const std::vector<Loan> now{{lender, 1, 7}};
    EXPECT_EQ(loans_for(lenders, one, now), now);
  }
}

TEST(Lending, ALoanWhoseWorkerIsNotFreeEnds) {
  const std::vector<Loan> now{{2, 1, 7}, {3, 1, 7}};
  const std::vector<Lender> lenders{{3, 1}};
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 1, .most = 8}};
  EXPECT_EQ(loans_for(lenders, one, now), (std::vector<Loan>{{3, 1, 7}}));
}

// A process trains on all free workers of its agent anyway, and each member of a gang on one.
TEST(Lending, ItsOwnWorkersCountForWhatTheyDoAnyway) {
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 1, .most = 8}};
  EXPECT_TRUE(loans_for(std::vector<Lender>{{1, 3}}, one, {}).empty());
  const std::vector<Loan> more = loans_for(std::vector<Lender>{{1, 1}, {2, 1}}, one, {});
  EXPECT_EQ(sorted(more), (std::vector<Loan>{{1, 1, 7}, {2, 1, 7}}));
  const std::vector<Borrower> modest{{.agent = 1, .wish = 7, .least = 1, .most = 2}};
  EXPECT_TRUE(loans_for(std::vector<Lender>{{1, 2}, {2, 2}}, modest, {}).empty());
}

TEST(Lending, ItsOwnWorkersAreLentLast) {
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 1, .most = 2}};
  EXPECT_EQ(sorted(loans_for(std::vector<Lender>{{1, 1}, {2, 2}}, one, {})),
            (std::vector<Loan>{{2, 1, 7}, {2, 1, 7}}));
}

TEST(Lending, WhoRefusesIsLeftOut) {
  const std::vector<Lender> lenders{{2, 1}, {3, 1}};
  const std::vector<Borrower> one{{.agent = 1, .wish = 7, .least = 1, .most = 8}};
  const Refuses refuses = [](std::uint32_t lender, std::uint32_t) { return lender == 2; };
  EXPECT_EQ(loans_for(lenders, one, {}, refuses), (std::vector<Loan>{{3, 1, 7}}));
}

}  // namespace
}  // namespace rt::net
