// What worker threads and child processes use to load, compare and copy tables. Must not import the readers
// of a server. Start reading at `commit-load.ts`.

export { type ComparedState, compareStates, type StateChanges } from './change-files/compare-states.ts'
export { changeFileTable, writeChanges } from './change-files/write-changes.ts'
export { commitLoad } from './commit-load.ts'
export { convertColumn, expandDecimal } from './convert-column.ts'
export { findReprojector } from './reading/reprojectors.ts'
export { tileReadingOf } from './tile-reading.ts'
