/**
 * The second door of this room, for threads and processes that read rows and load none. The first leads to everything
 * that starts loads.
 */
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import type { LoadPlan } from './load-plan.ts'
import { openFlow } from './open-flow.ts'
import { openSource } from './open-source.ts'
import { mayHoldPolygons, PolygonWatch, repairedSchema } from './polygon-watch.ts'
import type { LoadPlace } from './trusted-files.ts'
import { checkFile } from './trusted-files.ts'

/** Which rows are read, and what is done to them. Plain data: it crosses threads; it holds secrets and is never logged. */
export type RowsPlan = Pick<LoadPlan, 'source' | 'attributes' | 'srs' | 'transforms' | 'repair'>

type Batches = AsyncIterable<FeatureBatch>

/** Rows as they would be loaded; whoever opened them closes them. */
export interface OpenRows {
  schema: Schema
  /** With the rows that were rejected on the way. */
  batches: Batches
  close(): Promise<void>
}

/** Opens the rows of a plan. In a thread it refuses databases that SQLite may never be done with. */
export async function openRows(
  { source: from, ...plan }: RowsPlan,
  place: LoadPlace,
  signal: AbortSignal,
): Promise<OpenRows> {
  // What asks databases and stores is much code, which rows of files do without.
  if (from.kind === 'file') checkFile(place, from.file.path)
  else (await import('./trusted-databases.ts')).checkSource(place, from)
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

export type { LoadPlace } from './trusted-files.ts'
