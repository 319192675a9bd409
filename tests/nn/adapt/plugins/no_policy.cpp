// A shared library that has no policy in it.
extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
