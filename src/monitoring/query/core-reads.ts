import type { Reads } from './reads.ts'

/** The reads of this folder. */
export const coreReads: Reads = {}
