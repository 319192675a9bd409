#include "kernels/product.h"

#include <cblas.h>

namespace kern {

void add_product(int m, int n, int k, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 1, c, n);
}

}  // namespace kern
