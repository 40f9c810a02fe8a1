// Primus: `${NAME:default}` in every text, `extends`, and module and model presets below the overrides of each trainer module.
#include "checker/compose/layers.h"

namespace shardlint::layering {

CellPtr compose_primus(Stack& stack, const DocumentPtr& document) { return stack.read(document); }

}  // namespace shardlint::layering
