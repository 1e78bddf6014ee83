#pragma once

#include <functional>
#include <string>

namespace plumb {

/// In a worker: says what takes long, for a person who waits. The deadline starts anew. Elsewhere
/// it says nothing.
void tell_doing(const std::string& what);

/// What tell_doing does in this process, a worker.
void tell_doing_by(std::function<void(const std::string& what)> tell);

/// In the main process: who is told what a worker does; nobody by default.
void show_doing_by(std::function<void(const std::string& what)> show);
void show_doing(const std::string& what);

}  // namespace plumb
