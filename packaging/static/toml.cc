// toml++'s compiled half, for the static program: Debian brings it as a shared library alone, and as this header.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
