import type { PoolClient } from 'pg'
import { hasRelation } from '../../filters/row-filter.ts'
import { batchRows } from '../../geo/batch.ts'
import type { FeatureQuery } from '../store.ts'

/**
 * Number of processes that the database uses for reading: as configured, one, or several for expensive
 * queries. Starting others takes some 20 ms, and for a page near a location they read ahead rows that are not
 * needed (decision 621).
 */
export type Workers = 'usual' | 'one' | 'forMuch'

/**
 * Settings for each. PostgreSQL overestimates the cost of a spatial predicate about thirty times: at default
 * costs some 40 rows start further processes, with these settings some 20,000.
 */
const settings = {
  usual: 'reset max_parallel_workers_per_gather; reset parallel_setup_cost',
  one: 'set max_parallel_workers_per_gather = 0; reset parallel_setup_cost',
  forMuch: 'reset max_parallel_workers_per_gather; set parallel_setup_cost = 500000',
} satisfies Record<Workers, string>

/** Connections with other settings than the usual ones. */
const reported = new WeakMap<PoolClient, Workers>()

/** Sets how the database reads, before a connection is given to a caller. */
export async function setWorkers(client: PoolClient, workers: Workers): Promise<void> {
  if ((reported.get(client) ?? 'usual') === workers) return
  await client.query(settings[workers])
  reported.set(client, workers)
}

/**
 * For rows: one process for a page in the order of ids that a location restricts. Other queries may have to
 * scan all rows.
 */
export function workersForRows({ limit, sort = [], ...requested }: FeatureQuery): Workers {
  return sort.length === 0 && limit <= batchRows && isNearPlace(requested) ? 'one' : 'usual'
}

/** For counting rows: a location may match few. */
export function workersForCount(requested: Pick<FeatureQuery, 'bboxes' | 'filter'>): Workers {
  return isNearPlace(requested) ? 'forMuch' : 'usual'
}

function isNearPlace({ bboxes, filter }: Pick<FeatureQuery, 'bboxes' | 'filter'>): boolean {
  return bboxes !== undefined || (filter !== undefined && hasRelation(filter))
}
