/**
 * Second entry point of this module, for threads and processes that read rows without loading them. The first
 * entry point imports everything that starts loads.
 */
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import type { LoadPlan } from './load-plan.ts'
import { openFlow } from './open-flow.ts'
import { openSource } from './open-source.ts'
import { mayHoldPolygons, PolygonWatch, repairedSchema } from './polygon-watch.ts'
import type { WorkLocation } from './trusted-files.ts'
import { checkTrustedFile } from './trusted-files.ts'

/**
 * Rows to read and their transformations. Plain data: it is passed between threads. Contains secrets and must
 * never be logged.
 */
export type RowsPlan = Pick<LoadPlan, 'source' | 'attributes' | 'srs' | 'transforms' | 'repair'>

type Batches = AsyncIterable<FeatureBatch>

/** Rows as they would be loaded; the caller must close them. */
export interface OpenRows {
  schema: Schema
  /** Includes rejected rows. */
  batches: Batches
  close(): Promise<void>
}

/** Opens the rows of a plan. In a thread refuses databases that may block SQLite indefinitely. */
export async function openRows(
  { source: from, ...plan }: RowsPlan,
  location: WorkLocation,
  signal: AbortSignal,
): Promise<OpenRows> {
  // The code for databases and stores is large, so it is imported only for rows that are not from files.
  if (from.kind === 'file') checkTrustedFile(location, from.file.path)
  else (await import('./trusted-databases.ts')).checkSource(location, from)
  const source = await openSource(from, signal)
  try {
    const hooks = { signal, onMessage: () => undefined, onRead: (batches: Batches) => batches }
    const { schema, batches } = await openFlow(plan, source, hooks)
    const close = (): Promise<void> => source.close()
    if (plan.repair !== true || !mayHoldPolygons(schema)) return { schema, batches, close }
    const repaired = new PolygonWatch(true).watch(batches, () => undefined)
    return { schema: repairedSchema(schema), batches: repaired, close }
  } catch (error) {
    await source.close()
    throw error
  }
}

export type { WorkLocation } from './trusted-files.ts'
