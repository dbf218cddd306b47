#include <codemode.hpp>
