import type { PoolClient } from 'pg'
import { hasRelation } from '../../filters/row-filter.ts'
import { batchRows } from '../../geo/batch.ts'
import type { FeatureQuery } from '../store.ts'

/** Connections that read by one process until they are told otherwise. */
const alone = new WeakSet<PoolClient>()

/**
 * Before a connection is lent: whether the database reads by one process for whoever gets it, or as it is set to. Others cost some
 * 20 ms to start, and for a page near a place they read ahead what it has no use for (decision 621).
 */
export async function setWorkers(client: PoolClient, isAlone: boolean): Promise<void> {
  if (alone.has(client) === isAlone) return
  const name = 'max_parallel_workers_per_gather'
  await client.query(isAlone ? `set ${name} = 0` : `reset ${name}`)
  if (isAlone) alone.add(client)
  else alone.delete(client)
}

/** A page in the order of ids, by where its features are. Others may have to look at all rows. */
export function readsAlone({ bboxes, filter, limit, sort = [] }: FeatureQuery): boolean {
  if (sort.length > 0 || limit > batchRows) return false
  return bboxes !== undefined || (filter !== undefined && hasRelation(filter))
}
