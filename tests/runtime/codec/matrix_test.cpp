#include "runtime/matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "runtime/core/type_ops.h"

namespace {

using Matrix = rt::Matrix<float>;
static_assert(rt::BufferType<Matrix> && rt::Encodable<Matrix::Header>);

Matrix counting(std::size_t rows, std::size_t cols) {
  return Matrix::generate(
      rows, cols, [=](std::size_t i, std::size_t j) { return static_cast<float>(i * cols + j); });
}

TEST(Matrix, IsRowMajorAlignedAndZeroAtFirst) {
  const Matrix zero(3, 5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(zero.data()) % 64, 0u);
  for (const float x : zero.span()) EXPECT_EQ(x, 0);
  const Matrix m = counting(3, 5);
  EXPECT_EQ(m(2, 1), 11);
  EXPECT_EQ(m.data()[11], 11);
  EXPECT_EQ(m.bytes().size(), 60u);
  EXPECT_EQ(m.describe(), "Matrix[3x5]");
}

TEST(Matrix, MovingKeepsTheAddressAndCloningDoesNot) {
  Matrix m = counting(4, 4);
  const float* address = m.data();
  const Matrix copy = m.clone();
  const Matrix moved = std::move(m);
  EXPECT_EQ(moved.data(), address);
  EXPECT_NE(copy.data(), address);
  EXPECT_TRUE(std::equal(copy.span().begin(), copy.span().end(), moved.span().begin()));
}

TEST(Matrix, AViewWritesWhereItLooks) {
  Matrix owner(2, 2);
  {
    Matrix view(owner.header(), owner.bytes().data());
    view(1, 0) = 7;
    Matrix other = std::move(view);
    other(0, 1) = 3;
  }
  EXPECT_EQ(owner(1, 0), 7);
  EXPECT_EQ(owner(0, 1), 3);
  const Matrix none(owner.header(), nullptr);
  EXPECT_EQ(none.rows(), 2u);
}

TEST(Matrix, EmptyOnesAreFine) {
  const Matrix empty(0, 7);
  EXPECT_EQ(empty.clone().size(), 0u);
  EXPECT_TRUE(empty.bytes().empty());
}

}  // namespace
