#pragma once
// Dense linear algebra in double by OpenBLAS and its LAPACK. Contracts: kern::LinearAlgebra.

namespace kern::cpu {

void add_gram(int rows, int n, const double* a, double* s);
bool solve_positive(int n, int m, double* s, double* b);
void eigen_symmetric(int n, double* a, double* values);

}  // namespace kern::cpu
