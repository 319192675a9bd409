#include "nn/data/resident.h"

namespace nn {
namespace {

const std::byte* behind_features(const Dataset& data) {
  const bool classes = data.is_classification();
  return reinterpret_cast<const std::byte*>(classes ? static_cast<const void*>(data.labels().data())
                                                    : data.targets().data());
}

}  // namespace

ResidentDataset::ResidentDataset(const kern::Memory& memory, const Dataset& there)
    : there_(there), begin_(behind_features(there)) {
  const DataView view = there.view(Part::train);
  table_ = {view.u8, view.f32, view.shift, view.scale, view.labels, view.targets};
  const auto all = there.bytes();
  here_.resize(static_cast<std::size_t>(all.data() + all.size() - begin_));
  memory.get(here_.data(), begin_, here_.size());
}

DataView ResidentDataset::view(Part part) const {
  DataView view = there_.view(part);
  const auto here = [&]<class T>(const T* there) {
    if (there == nullptr) return there;
    return reinterpret_cast<const T*>(here_.data() +
                                      (reinterpret_cast<const std::byte*>(there) - begin_));
  };
  view.u8 = nullptr;
  view.f32 = nullptr;
  view.shift = nullptr;
  view.scale = nullptr;
  view.labels = here(view.labels);
  view.targets = here(view.targets);
  view.rows = {here(view.rows.data()), view.rows.size()};
  view.replayed = {here(view.replayed.data()), view.replayed.size()};
  view.training = {here(view.training.data()), view.training.size()};
  view.resident = &table_;
  return view;
}

}  // namespace nn
