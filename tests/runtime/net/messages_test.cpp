// Frames: bytes and back, and bytes that are none.
#include "runtime/net/messages.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "runtime/net/incoming.h"

namespace rt::net {
namespace {

base::Bytes bytes_of(std::size_t size) {
  base::Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

TEST(Messages, ComeBackAsTheyWere) {
  Call call;
  call.task = "train";
  call.version = 3;
  call.device = Device::cuda;
  call.constants = bytes_of(100);
  call.inputs = {{1, 2}, {3, 4}};
  call.outputs = {{5, 6}};
  call.back = {1};
  call.priority = -4;
  Parcel parcel;
  parcel.id = 77;
  parcel.sources = {call};
  parcel.calls = {call, call};
  parcel.files = {{{8, 9}, "data/digits.csv"}};
  parcel.contents = {{{1, 2}, bytes_of(9)}};
  const base::Bytes frame = encode_frame({4, 2, 19, net::Run{parcel}});
  const Frame back = decode_frame(frame);
  EXPECT_EQ(back.epoch, 4U);
  EXPECT_EQ(back.agent, 2U);
  EXPECT_EQ(back.number, 19U);
  const Parcel& read = std::get<net::Run>(back.message).parcel;
  EXPECT_EQ(read.id, 77U);
  ASSERT_EQ(read.calls.size(), 2U);
  EXPECT_EQ(read.calls[1].task, "train");
  EXPECT_EQ(read.calls[1].device, Device::cuda);
  EXPECT_EQ(read.calls[1].inputs, call.inputs);
  EXPECT_EQ(read.files[0].path, "data/digits.csv");
  EXPECT_EQ(read.contents[0].bytes, bytes_of(9));
  EXPECT_EQ(encode_frame(back), frame);
}

TEST(Messages, WhatACallSaysMayBeAnyBytes) {
  const std::string text("a\0\n\xff", 4);
  const Frame back = decode_frame(encode_frame({1, 1, 1, Told{7, 2, {3, 4}, text}}));
  const Told& told = std::get<Told>(back.message);
  EXPECT_EQ(told.parcel, 7U);
  EXPECT_EQ(told.call, 2U);
  EXPECT_EQ(told.result, (base::Key{3, 4}));
  EXPECT_EQ(told.text, text);
}

TEST(Messages, BytesThatAreNoFrameAreRefused) {
  const base::Bytes good = encode_frame({1, 1, 1, Beat{5}});
  EXPECT_THROW((void)decode_frame({}), base::Error);
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_THROW((void)decode_frame(std::span(good).first(cut)), base::Error) << cut;
  base::Bytes more = good;
  more.push_back(std::byte{0});
  EXPECT_THROW((void)decode_frame(more), base::Error);
  base::Bytes other = good;
  other[3] = std::byte{200};
  EXPECT_THROW((void)decode_frame(other), base::Error);
  EXPECT_THROW((void)decode_frame(bytes_of(kMostFrame + 1)), base::Error);
}

TEST(Messages, OneThatIsTooLargeIsNotSent) {
  EXPECT_THROW((void)encode_frame({1, 1, 1, Give{{1, 1}, 0, 1, bytes_of(kMostFrame)}}),
               base::Error);
}

TEST(Messages, ContentsTakeTheirOwnChannel) {
  EXPECT_EQ(channel_of(Give{}), Channel::bulk);
  EXPECT_EQ(channel_of(Ask{}), Channel::bulk);
  EXPECT_EQ(channel_of(Beat{}), Channel::control);
  EXPECT_EQ(channel_of(net::Run{}), Channel::control);
}

/// Fetches a content through pieces; how often was asked.
int fetch(const base::Bytes& content, base::Bytes& whole) {
  Incoming incoming;
  std::optional<Ask> ask = incoming.begin({1, 1});
  EXPECT_FALSE(incoming.begin({1, 1}).has_value()) << "it is under way";
  int asked = 0;
  while (ask) {
    ++asked;
    const Ask next = *std::exchange(ask, std::nullopt);
    for (Give& piece : pieces_of(next, content)) {
      EXPECT_LE(piece.bytes.size(), kPiece);
      Incoming::Step step = incoming.take(std::move(piece));
      EXPECT_FALSE(step.wrong);
      if (step.ask) ask = step.ask;
      if (step.whole) whole = std::move(*step.whole);
    }
  }
  return asked;
}

TEST(Incoming, BringAContentInPieces) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{kPiece},
                                 std::size_t{kPiece} + 1, std::size_t{kAsked}}) {
    base::Bytes whole(1);
    EXPECT_EQ(fetch(bytes_of(size), whole), 1) << size;
    EXPECT_EQ(whole, bytes_of(size)) << size;
  }
  base::Bytes whole;
  EXPECT_EQ(fetch(bytes_of(2 * kAsked + 3), whole), 3);
  EXPECT_EQ(whole, bytes_of(2 * kAsked + 3));
}

TEST(Incoming, PiecesThatDoNotBelongTogetherEndIt) {
  Incoming incoming;
  (void)incoming.begin({1, 1});
  EXPECT_FALSE(incoming.take({{2, 2}, 0, 4, bytes_of(4)}).whole.has_value())
      << "nobody asked for it";
  EXPECT_TRUE(incoming.take({{1, 1}, 1, 4, bytes_of(2)}).wrong) << "one is missing before it";
  EXPECT_FALSE(incoming.under_way({1, 1}));
  (void)incoming.begin({1, 1});
  EXPECT_TRUE(incoming.take({{1, 1}, 0, 4, bytes_of(5)}).wrong) << "longer than the whole";
}

}  // namespace
}  // namespace rt::net
