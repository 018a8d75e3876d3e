# Warnings for our own code only: users of the headers never see these flags.
add_library(twofold_warnings INTERFACE)
target_compile_options(twofold_warnings INTERFACE -Wall -Wextra -Wpedantic
  $<$<NOT:$<BOOL:${TWOFOLD_BATCHES}>>:-Wshadow>  # in a batch of files, names of the others are no shadows
  # GCC 12 sees uninitialised strings in moved-from temporaries, and overlap in every string concatenation (its bug 105651).
  # and, at -O3, writes past the ends of vectors that grow by one.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  $<$<BOOL:${TWOFOLD_WERROR}>:-Werror>)
