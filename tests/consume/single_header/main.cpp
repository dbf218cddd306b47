#include <codemode.hpp>

#define CODEMODE_CONSUMER_HAS_HEADER
#include "../main.cpp"
