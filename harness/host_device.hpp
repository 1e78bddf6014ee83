#pragma once

/// For code that the CUDA plugin compiles for the device as well: a function that runs there too,
/// and a short loop to be written out, so that its arrays need no memory.
#ifdef __CUDACC__
#define PLUMB_HOST_DEVICE __host__ __device__
#define PLUMB_UNROLL _Pragma("unroll")
#else
#define PLUMB_HOST_DEVICE
#define PLUMB_UNROLL _Pragma("GCC unroll 4")
#endif
