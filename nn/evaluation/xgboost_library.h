#pragma once
// XGBoost's C interface, loaded when it is first asked for: a program that never fits trees needs
// no such library, and one on a machine without it says so.

#include <xgboost/c_api.h>
#include <string>

namespace nn {

/// The functions in use. Safe to call from several threads.
struct XgBoost {
  XgBoost();
  bool here = false;  ///< false: there is no library, or it lacks a function
  decltype(&::XGBoostVersion) version = nullptr;
  decltype(&::XGBGetLastError) last_error = nullptr;
  decltype(&::XGDMatrixCreateFromMat_omp) make_matrix = nullptr;
  decltype(&::XGDMatrixSetFloatInfo) set_floats = nullptr;
  decltype(&::XGDMatrixFree) free_matrix = nullptr;
  decltype(&::XGBoosterCreate) make_booster = nullptr;
  decltype(&::XGBoosterFree) free_booster = nullptr;
  decltype(&::XGBoosterSetParam) set_param = nullptr;
  decltype(&::XGBoosterUpdateOneIter) update = nullptr;
  decltype(&::XGBoosterEvalOneIter) evaluate = nullptr;
  decltype(&::XGBoosterSlice) slice = nullptr;
  decltype(&::XGBoosterPredictFromDMatrix) predict = nullptr;
  decltype(&::XGBoosterSaveModelToBuffer) save = nullptr;
  decltype(&::XGBoosterLoadModelFromBuffer) load = nullptr;

  /// Throws base::Error (internal) with what the library says if a call failed.
  void check(int status) const;
};

[[nodiscard]] const XgBoost& xgboost();

}  // namespace nn
