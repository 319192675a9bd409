#pragma once
// The parts of kern::Device that driver.cpp has.

#include <cstddef>

namespace kern::cuda {

void use_stream(void* stream);
void set_wait_for_each(bool on);
[[nodiscard]] void* allocate_shared(std::size_t bytes);
void memory_left(std::size_t& left, std::size_t& all);

}  // namespace kern::cuda
