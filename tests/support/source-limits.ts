import type { SourceLimits } from '../../src/inputs/archives/unpacking.ts'

/** Limits as the settings have them by default. */
export const defaultSourceLimits: SourceLimits = {
  maxEntries: 100_000,
  maxExpandedBytes: 50 * 2 ** 30,
  maxRatio: 200,
}
