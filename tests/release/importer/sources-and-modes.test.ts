import { describeSourcesAndModes } from '../../contract/importer/sources-and-modes.ts'

// Half of all combinations. tests/contract/importer/sources-and-modes.test.ts has each source in each mode once.
describeSourcesAndModes(({ catalogue, type, source, mode }) => (source + mode + type) % 2 === catalogue)
