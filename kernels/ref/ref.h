#pragma once
// The reference kernels: the shortest loops that say what each kernel means, for float and double.
// They are the oracle of every other table, so they trade all speed for being obviously right.
// Contracts: kernels/kernels.h.

#include "kernels/kernels.h"

namespace kern::ref {

template <class T>
void gemm(Exec&, const GemmArgs<T>&);
/// The product of the operands as `precision` rounds them.
template <class T, Precision precision>
void gemm_of_rounded(Exec&, const GemmArgs<T>&);

template <class T>
void bias_activation(Exec&, int rows, int cols, const T* bias, Activation, T* y);
template <class T>
void add_activation(Exec&, int rows, int cols, const T* a, const T* b, Activation, T* y);
template <class T>
void activate(Exec&, std::size_t count, Activation, const T* x, T* y);
template <class T>
void activation_backward(Exec&, int rows, int cols, Activation, const T* y, T* dy, T* dbias);

template <class T>
void conv_forward(Exec&, const Window&, const T* x, const T* w, const T* bias, Activation, T* y);
template <class T>
void conv_backward_data(Exec&, const Window&, const T* dy, const T* w, T* dx);
template <class T>
void conv_backward_weights(Exec&, const Window&, const T* x, const T* dy, T* dw);

template <class T>
void maxpool_forward(Exec&, const Window&, const T* x, T* y, std::uint8_t* argmax);
template <class T>
void maxpool_backward(Exec&, const Window&, const T* dy, const std::uint8_t* argmax, T* dx);

template <class T>
void column_moments(Exec&, int rows, int cols, const T* x, T* mean, T* variance);
template <class T>
void batch_norm_forward(Exec&, const BatchNormArgs<T>&);
template <class T>
void batch_norm_backward(Exec&, const BatchNormGradientArgs<T>&);

template <class T>
void layer_norm_forward(Exec&, const LayerNormArgs<T>&);
template <class T>
void layer_norm_backward(Exec&, const LayerNormGradientArgs<T>&);

template <class T>
void avgpool_forward(Exec&, const Window&, const T* x, T* y);
template <class T>
void avgpool_backward(Exec&, const Window&, const T* dy, T* dx);

template <class T>
void dropout_forward(Exec&, const DropoutArgs<T>&);
template <class T>
void dropout_backward(Exec&, std::size_t count, double rate, const std::uint8_t* kept, const T* dy,
                      T* dx);

template <class T>
LossSums softmax_cross_entropy(Exec&, const CrossEntropyArgs<T>&);
template <class T>
LossSums binary_cross_entropy(Exec&, const BinaryCrossEntropyArgs<T>&);
template <class T>
LossSums mean_squared_error(Exec&, const DifferenceLossArgs<T>&);
template <class T>
LossSums mean_absolute_error(Exec&, const DifferenceLossArgs<T>&);
template <class T>
LossSums huber(Exec&, const DifferenceLossArgs<T>&);

template <class T>
void gather(Exec&, const GatherArgs<T>&);
template <class T>
void gather_images(Exec&, const GatherImagesArgs<T>&);
void copy_rows(Exec&, const CopyRowsArgs&);
template <class T>
void accumulate(Exec&, std::size_t count, const T* src, T* dst);
template <class T>
void scaled_copy(Exec&, std::size_t count, T factor, const T* src, T* dst);
template <class T>
void blend(Exec&, std::size_t count, T rate, const T* src, T* dst);

template <class T>
void sgd(Exec&, const SgdArgs<T>&);
template <class T>
void adam(Exec&, const AdamArgs<T>&);
template <class T>
void adam_columns(Exec&, const AdamColumnsArgs<T>&);
template <class T>
void rmsprop(Exec&, const RmspropArgs<T>&);
template <class T>
void lars(Exec&, const LarsArgs<T>&);
template <class T>
void lamb(Exec&, const LambArgs<T>&);

template <class T>
double sum_squares(Exec&, std::size_t count, const T* x);
template <class T>
void unit_squares(Exec&, const UnitBlock&, const T* x, T* squares);
template <class T>
void scale_units(Exec&, const UnitBlock&, const T* factor, T* x);
template <class T>
void regroup(Exec&, const RegroupArgs<T>&);
template <class T>
void set_units(Exec&, const UnitBlock&, int count, const std::uint32_t* units, const T* values,
               T* x);

void add_gram(int rows, int n, const double* a, double* s);
bool solve_positive(int n, int m, double* s, double* b);
void eigen_symmetric(int n, double* a, double* values);

}  // namespace kern::ref
