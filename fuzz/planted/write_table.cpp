// planted_table LIBRARY.so TABLE.json: writes what the library says of itself.

#include <cstdio>
#include <fstream>
#include <dlfcn.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto table = reinterpret_cast<const char* (*)()>(dlsym(library, "planted_table"));
  if (table == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  std::ofstream file(argv[2]);
  file << table();
  return file.flush() ? 0 : 1;
}
