#include "runtime/net/aggregator/layout.h"

#include <algorithm>
#include <utility>

#include "runtime/net/block_integers.h"

namespace rt::net::aggregator {

Layout::Layout(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    for (std::size_t at = 0; at < tensors_[i].floats; at += kBlockFloats) {
      blocks_.push_back({floats_ + at, std::min(kBlockFloats, tensors_[i].floats - at), i});
    }
    floats_ += tensors_[i].floats;
  }
}

}  // namespace rt::net::aggregator
