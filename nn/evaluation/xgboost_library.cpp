#include "nn/evaluation/xgboost_library.h"

#include <dlfcn.h>

#include "base/error.h"
#include "base/text.h"

namespace nn {

XgBoost::XgBoost() {
  // Debian's name, then that of a build from source.
  void* library = nullptr;
  for (const char* file : {"libxgboost.so.0", "libxgboost.so"}) {
    if (library == nullptr) library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  }
  if (library == nullptr) return;
  here = true;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    here = here && function != nullptr;
  };
  find(version, "XGBoostVersion");
  find(last_error, "XGBGetLastError");
  find(make_matrix, "XGDMatrixCreateFromMat_omp");
  find(set_floats, "XGDMatrixSetFloatInfo");
  find(free_matrix, "XGDMatrixFree");
  find(make_booster, "XGBoosterCreate");
  find(free_booster, "XGBoosterFree");
  find(set_param, "XGBoosterSetParam");
  find(update, "XGBoosterUpdateOneIter");
  find(evaluate, "XGBoosterEvalOneIter");
  find(slice, "XGBoosterSlice");
  find(predict, "XGBoosterPredictFromDMatrix");
  find(save, "XGBoosterSaveModelToBuffer");
  find(load, "XGBoosterLoadModelFromBuffer");
}

void XgBoost::check(int status) const {
  if (status == 0) return;
  std::string what = last_error();
  what = what.substr(0, what.find('\n'));
  throw base::Error(base::Errc::internal, base::cat("XGBoost: ", what));
}

const XgBoost& xgboost() {
  static const XgBoost one;
  return one;
}

}  // namespace nn
