#pragma once
// Compiles a function for several instruction sets and chooses when the program starts: the same
// operations on each, so the same bits. A sanitizer's run time is not ready when the choice is
// made.

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRELLIS_EACH_VECTOR [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define TRELLIS_EACH_VECTOR
#endif
