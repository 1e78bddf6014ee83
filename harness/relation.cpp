#include "harness/relation.hpp"

#include "harness/errors.hpp"

namespace plumb {

const Relation& relation_or_usage_error(const std::string& name) {
  const auto& relations = Registry<Relation>::instance();
  if (const Relation* relation = relations.find(name)) return *relation;
  throw UsageError("unknown relation '" + name + "'" + suggestion(name, relations.names()));
}

}  // namespace plumb
