# Warnings for our own code only: users of the headers never see these flags.
add_library(twofold_warnings INTERFACE)
target_compile_options(twofold_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # GCC 12 sees uninitialised strings in moved-from temporaries
  $<$<BOOL:${TWOFOLD_WERROR}>:-Werror>)
