import { describeSourcesAndModes } from './sources-and-modes.ts'

// Each source in each mode once, each mode with each catalogue and store. tests/release/importer/sources-and-modes.test.ts
// has half of all combinations.
describeSourcesAndModes(
  ({ catalogue, type, source, mode }) => (source + mode) % 4 === catalogue * 2 + ((type + catalogue) % 2),
)
