#pragma once

// What each unit of the program tells of itself. Nothing of the library is in here: the program's main file must
// not bring a copy of its own.

#include <cstddef>
#include <string>
#include <vector>

namespace odr {

struct report {
  std::size_t width = 0;            ///< floats in a vector of this unit's flags
  const void* portable = nullptr;   ///< address of its kernel for them
  std::string best;                 ///< what it chooses here
  std::string answers;              ///< plans and JavaScript of the requests
  std::vector<float> logits;        ///< of every kernel that this unit and this processor have
};

}  // namespace odr
