// The four operations of a blocked Cholesky factorisation A = U^T U on square row-major tiles, by
// OpenBLAS.
#pragma once

#include "runtime/matrix.h"

namespace bench {

/// A := U with A = U^T U (upper half only). Throws std::domain_error when A is not positive
/// definite.
void factorise_tile(rt::Matrix<double>& a);
void factorise_tile(rt::Matrix<float>& a);

/// B := U^-T B. By halves: OpenBLAS's own solver reaches less than half the speed of its products.
void solve_tile(const rt::Matrix<double>& u, rt::Matrix<double>& b);
void solve_tile(const rt::Matrix<float>& u, rt::Matrix<float>& b);

/// C := C - A^T A (upper half only).
void square_tile(const rt::Matrix<double>& a, rt::Matrix<double>& c);
void square_tile(const rt::Matrix<float>& a, rt::Matrix<float>& c);

/// C := C - A^T B.
void product_tile(const rt::Matrix<double>& a, const rt::Matrix<double>& b, rt::Matrix<double>& c);
void product_tile(const rt::Matrix<float>& a, const rt::Matrix<float>& b, rt::Matrix<float>& c);

}  // namespace bench
