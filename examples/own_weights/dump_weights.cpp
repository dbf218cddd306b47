// Writes the weights that ship with the library to a file, so that the example has one to load.

#include <codemode/network/default_weights.hpp>

#include <fstream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto bytes = codemode::detail::decode_base85(codemode::detail::default_weights_text,
                                                     codemode::detail::default_weights_size);
  std::ofstream file{argv[1], std::ios::binary};
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 1;
}
