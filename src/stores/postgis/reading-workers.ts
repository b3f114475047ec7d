import type { PoolClient } from 'pg'
import { hasRelation } from '../../filters/row-filter.ts'
import type { FeatureQuery } from '../store.ts'

/** Connections that read by one process from now on. */
const alone = new WeakSet<PoolClient>()

/**
 * Before a transaction begins: whether the database may read by several processes. They cost some 20 ms to start, and for a page
 * near a place they read ahead what it has no use for (decision 621).
 */
export async function chooseWorkers(client: PoolClient, query: FeatureQuery): Promise<void> {
  const isAlone = readsAlone(query)
  if (alone.has(client) === isAlone) return
  if (isAlone) alone.add(client)
  else alone.delete(client)
  const name = 'max_parallel_workers_per_gather'
  await client.query(isAlone ? `set ${name} = 0` : `reset ${name}`)
}

/** A page in the order of ids, by where its features are. Others may have to look at all rows. */
function readsAlone({ bboxes, filter, sort = [] }: FeatureQuery): boolean {
  if (sort.length > 0) return false
  return bboxes !== undefined || (filter !== undefined && hasRelation(filter))
}
