// Built against a torch that has something which this one lacks.

namespace c10 {
void not_in_this_version();
}

extern "C" void use() { c10::not_in_this_version(); }
