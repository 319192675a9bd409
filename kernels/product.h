#pragma once
// Products in double, whatever a network's type, of matrices in the program's memory.

namespace kern {

/// c[m, n] += a b for a [m, k] and b [k, n], row-major and dense, by OpenBLAS.
void add_product(int m, int n, int k, const double* a, const double* b, double* c);

}  // namespace kern
