import { quoteIdentifier } from '../../core/postgres/quote.ts'
import type { LoadRequest } from '../store.ts'
import { stagingName, suffixedIdentifier } from './identifiers.ts'
import type { Connection, PostgisSession } from './session.ts'

/** An index to build on the staging table, with its name. */
export interface IndexPlan {
  isUnique: boolean
  isPrimaryKey: boolean
  /** Method and columns: the part of `create index` after the table name. */
  definition: string
  finalName: string
}

export interface StagedIndex extends IndexPlan {
  name: string
}

/** Below this number of rows the indexes are complete before a second connection is open. */
const rowsWorthHelp = 20_000

export function stagedIndexes(
  { loadId }: Pick<LoadRequest, 'loadId'>,
  indexes: readonly IndexPlan[],
): StagedIndex[] {
  return indexes.map((index, number) => ({
    ...index,
    name: suffixedIdentifier(stagingName(loadId), `_${number}`),
  }))
}

/**
 * True if building the index cannot fail, whatever the values are: an index on the geometry or on the key
 * that the server assigns. Other values may be too long for an index, or its expression may fail.
 */
export function isAlwaysBuilt(
  { isPrimaryKey, definition }: IndexPlan,
  { countedKey, geometryColumn }: { countedKey: string | undefined; geometryColumn: string | undefined },
): boolean {
  const [, method = 'btree', list = ''] = /^(?:using (\w+) )?(\(.*\))$/is.exec(definition) ?? []
  const isOf = (column: string | undefined): boolean =>
    column !== undefined && [`(${column})`, `(${quoteIdentifier(column)})`].includes(list)
  return isPrimaryKey ? isOf(countedKey) : method.toLowerCase() === 'gist' && isOf(geometryColumn)
}

/**
 * Builds the indexes of a large table with two connections, the slowest (GiST) first. Existing indexes are
 * not changed.
 */
export async function buildIndexes(
  { session }: { session: PostgisSession },
  connection: Connection,
  { table, indexes, rows }: { table: string; indexes: readonly StagedIndex[]; rows: number },
): Promise<void> {
  const waiting = [...indexes]
  const work = async (worker: Connection): Promise<void> => {
    await worker.run('building the indexes', `set maintenance_work_mem = '128MB'`)
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const unique = next.isUnique ? 'unique ' : ''
      await worker.run(
        'building the indexes',
        `create ${unique}index if not exists ${quoteIdentifier(next.name)} on ${table} ${next.definition}`,
      )
    }
  }
  if (waiting.length === 0) return
  const helper = waiting.length > 1 && rows >= rowsWorthHelp ? session.connect() : undefined
  try {
    await Promise.all([work(connection), helper?.then(work)])
  } finally {
    // Waits for the connection, since the session only closes open connections.
    await helper?.catch(() => undefined)
  }
}
