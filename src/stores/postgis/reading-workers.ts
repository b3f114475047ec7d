import type { PoolClient } from 'pg'
import { hasRelation } from '../../filters/row-filter.ts'
import { batchRows } from '../../geo/batch.ts'
import type { FeatureQuery } from '../store.ts'

/**
 * By how many processes the database reads: as it is set to, by one, or by several where that is much work. Others cost some 20 ms
 * to start, and for a page near a place they read ahead what it has no use for (decision 621).
 */
export type Workers = 'usual' | 'one' | 'forMuch'

/**
 * What is set for each. PostgreSQL takes a relation of geometries for some thirty times what it costs: the usual price of starting others is
 * met by some forty rows, this one by some 20,000.
 */
const settings = {
  usual: 'reset max_parallel_workers_per_gather; reset parallel_setup_cost',
  one: 'set max_parallel_workers_per_gather = 0; reset parallel_setup_cost',
  forMuch: 'reset max_parallel_workers_per_gather; set parallel_setup_cost = 500000',
} satisfies Record<Workers, string>

/** Connections that read in another way than usual until they are told otherwise. */
const told = new WeakMap<PoolClient, Workers>()

/** Before a connection is lent: how the database reads for whoever gets it. */
export async function setWorkers(client: PoolClient, workers: Workers): Promise<void> {
  if ((told.get(client) ?? 'usual') === workers) return
  await client.query(settings[workers])
  told.set(client, workers)
}

/** For rows: by one for a page in the order of ids, by where its features are. Others may have to look at all rows. */
export function workersForRows({ limit, sort = [], ...asked }: FeatureQuery): Workers {
  return sort.length === 0 && limit <= batchRows && isNearPlace(asked) ? 'one' : 'usual'
}

/** For the number of rows: those near a place may be few. */
export function workersForCount(asked: Pick<FeatureQuery, 'bboxes' | 'filter'>): Workers {
  return isNearPlace(asked) ? 'forMuch' : 'usual'
}

function isNearPlace({ bboxes, filter }: Pick<FeatureQuery, 'bboxes' | 'filter'>): boolean {
  return bboxes !== undefined || (filter !== undefined && hasRelation(filter))
}
