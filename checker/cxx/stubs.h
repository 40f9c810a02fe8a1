// Headers that stand in where a machine has none: what they declare is all that a plan's numbers need. Real ones always win.
#pragma once

#include <string_view>
#include <utility>

namespace shardlint::cxx {

inline constexpr std::string_view kStubFolder = "/shardlint-stubs";

inline constexpr std::pair<std::string_view, std::string_view> kStubs[] = {
    {"gflags/gflags.h", R"cpp(#pragma once
#include <cstdint>
#include <string>
#define SHARDLINT_FLAG(space, type, name, value) \
                                namespace space {                              \
                                type FLAGS_##name = (value);                   \
                                }                                              \
                                using space::FLAGS_##name
#define DEFINE_bool(name, value, help) SHARDLINT_FLAG(fLB, bool, name, value)
#define DEFINE_int32(name, value, help) SHARDLINT_FLAG(fLI, std::int32_t, name, value)
#define DEFINE_uint32(name, value, help) SHARDLINT_FLAG(fLU, std::uint32_t, name, value)
#define DEFINE_int64(name, value, help) SHARDLINT_FLAG(fLI64, std::int64_t, name, value)
#define DEFINE_uint64(name, value, help) SHARDLINT_FLAG(fLU64, std::uint64_t, name, value)
#define DEFINE_double(name, value, help) SHARDLINT_FLAG(fLD, double, name, value)
#define DEFINE_string(name, value, help) SHARDLINT_FLAG(fLS, std::string, name, value)
#define SHARDLINT_DECLARE(space, type, name) \
                                namespace space {                          \
                                extern type FLAGS_##name;                  \
                                }                                          \
                                using space::FLAGS_##name
#define DECLARE_bool(name) SHARDLINT_DECLARE(fLB, bool, name)
#define DECLARE_int32(name) SHARDLINT_DECLARE(fLI, std::int32_t, name)
#define DECLARE_uint32(name) SHARDLINT_DECLARE(fLU, std::uint32_t, name)
#define DECLARE_int64(name) SHARDLINT_DECLARE(fLI64, std::int64_t, name)
#define DECLARE_uint64(name) SHARDLINT_DECLARE(fLU64, std::uint64_t, name)
#define DECLARE_double(name) SHARDLINT_DECLARE(fLD, double, name)
#define DECLARE_string(name) SHARDLINT_DECLARE(fLS, std::string, name)
#define DEFINE_validator(name, function) static_assert(true)
                              namespace gflags {
                              std::uint32_t ParseCommandLineFlags(int* argc, char*** argv, bool remove);
                              void SetUsageMessage(const std::string& text);
                              void SetVersionString(const std::string& text);
                              void ShutDownCommandLineFlags();
                              template <class T>
                              bool RegisterFlagValidator(const T* flag, bool (*check)(const char*, T));
                              }  // namespace gflags
                              namespace google = gflags;
     )cpp"},
    {"absl/flags/declare.h", R"cpp(#pragma once
                                   namespace absl {
                                   template <class T>
                                   class Flag {
                                    public:
                                     T value;
                                   };
                                   template <class T>
                                   T GetFlag(const Flag<T>& flag);
                                   template <class T, class V>
                                   void SetFlag(Flag<T>* flag, const V& value);
                                   }  // namespace absl
#define ABSL_DECLARE_FLAG(type, name) extern absl::Flag<type> FLAGS_##name
     )cpp"},
    {"absl/flags/flag.h", R"cpp(#pragma once
#include "absl/flags/declare.h"
#define ABSL_FLAG(Type, name, default_value, help) \
                                  absl::Flag<Type> FLAGS_##name { default_value }
     )cpp"},
    {"absl/flags/parse.h", R"cpp(#pragma once
#include <vector>
#include "absl/flags/declare.h"
                                 namespace absl {
                                 std::vector<char*> ParseCommandLine(int argc, char* argv[]);
                                 }
     )cpp"},
    {"absl/flags/usage.h", R"cpp(#pragma once
#include <string>
                                 namespace absl {
                                 void SetProgramUsageMessage(const std::string& text);
                                 }
     )cpp"},
    {"cuda_runtime.h", R"cpp(#pragma once
#include <cstddef>
#ifndef __CUDACC__
#define __host__
#define __device__
#define __global__
#endif
                             typedef int cudaError_t;
                             typedef struct CUstream_st* cudaStream_t;
                             enum { cudaSuccess = 0 };
                             extern "C" cudaError_t cudaGetDeviceCount(int* count);
                             extern "C" cudaError_t cudaSetDevice(int device);
                             extern "C" cudaError_t cudaGetDevice(int* device);
     )cpp"},
};

// In front of every CUDA source: the words of the language that its own headers would define.
inline constexpr std::string_view kCudaPrelude =
    R"cpp(#pragma once
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
          struct dim3 {
            unsigned x, y, z;
            constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
          };
          typedef struct CUstream_st* cudaStream_t;
          typedef int cudaError_t;
          extern "C" int cudaConfigureCall(dim3 grid, dim3 block, unsigned long shared = 0, cudaStream_t stream = 0);
          extern "C" int __cudaPushCallConfiguration(dim3 grid, dim3 block, unsigned long shared = 0, void* stream = 0);
          extern "C" cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, unsigned long shared,
                                                  cudaStream_t stream);
    )cpp";

}  // namespace shardlint::cxx
