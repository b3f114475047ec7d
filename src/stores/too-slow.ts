import { Failure } from '../core/errors/errors.ts'
import type { Filter } from '../filters/filter.ts'
import { inColumns } from '../filters/filter.ts'
import type { FeatureQuery, VectorStore } from './store.ts'

/**
 * Maximum time of a query until its first row, in milliseconds: CPU time of the reading thread for a file,
 * elapsed time for a database.
 */
export const queryMs = 20_000

/** The error for an aborted slow query, before the cause is known. */
export function tookTooLong(cause?: unknown): Failure {
  return new Failure(
    'unavailable',
    'too-slow',
    `The question took longer than ${queryMs / 1000} s and was ended`,
    cause === undefined ? {} : { cause },
  )
}

/** The same with advice: which attributes have no index. */
export async function explainSlowness(
  store: Pick<VectorStore, 'indexedColumns' | 'type'>,
  query: FeatureQuery,
): Promise<Failure> {
  const plain = tookTooLong()
  const requested = requestedAttributes(query)
  const indexed = new Set((await store.indexedColumns?.(query.table).catch(() => requested)) ?? [])
  const without = requested.filter((name) => !indexed.has(name)).map((name) => `"${name}"`)
  const why =
    without.length === 0
      ? 'ask for less, such as a smaller bbox'
      : store.indexedColumns === undefined
        ? `a ${store.type} file has no index of ${without.join(', ')}: load it into a store, or ask for a smaller bbox`
        : `there is no index of ${without.join(', ')} that it could use: make one (CreateIndexTransform), or ask for a smaller bbox`
  return new Failure('unavailable', 'too-slow', `${plain.message}. "${query.table}": ${why}`)
}

function requestedAttributes({ filter, sort = [], time }: FeatureQuery): string[] {
  const names = new Set<string>(sort.map(({ attribute }) => attribute))
  if (time !== undefined) names.add(time.attribute)
  if (filter !== undefined) addAttributes(filter, names)
  return [...names]
}

function addAttributes(filter: Filter, names: Set<string>): void {
  inColumns(filter, (name) => {
    names.add(name)
    return name
  })
}
