// JSON with positions. This stage answers one problem for every JSON file.
#include "checker/document/readers.h"

namespace shardlint {

void read_json(Document& document, Input, bool) { document.problems.push_back({"JSON files are not read yet", {}, {}, {}}); }

}  // namespace shardlint
