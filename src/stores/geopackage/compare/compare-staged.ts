import type { DatabaseSync } from 'node:sqlite'
import { geometryBox, quoteName } from '../../../formats/geopackage/index.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../../geo/envelope.ts'
import type { ChangeCounts, TableComparison } from '../../changes.ts'
import { missingRows } from '../../spared-texts.ts'
import { foreignTriggers, isReferenced, refersToOthers } from '../foreign-code.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { extendEnvelope } from './canonical-geometry.ts'
import { readChanges } from './changed-rows.ts'
import { keyColumns, typesOf } from './compared-columns.ts'
import type { ComparedRows } from './find-differences.ts'
import { differencesTable, findAdditions, findByKeys, findByRows, haveKeys } from './find-differences.ts'
import { requireSingleKeys } from './single-keys.ts'

interface Found {
  counts: ChangeCounts
  matchedBy: string[]
}

/**
 * Returns what a commit of the staged rows would do. `changes` must be read with the same connection, in the
 * open transaction.
 */
export function compareStaged(
  db: DatabaseSync,
  compared: ComparedRows,
  keys: string[] | undefined,
  signal: AbortSignal,
): TableComparison {
  const { plan, rows } = compared
  const isAddition = plan.existing === undefined || plan.request.mode === 'APPEND'
  const { counts, matchedBy } = isAddition
    ? { counts: findAdditions(db, compared), matchedBy: [] }
    : findDifferences(db, compared, keys)
  signal.throwIfAborted()
  const bounds = isAddition ? rows.envelope : differenceBounds(db, plan)
  const source = { plan, before: `main.${quoteName(plan.table)}`, isAddition }
  return {
    counts,
    matchedBy,
    bounds,
    notTried: findNotTried(db, plan),
    changes: () => readChanges(db, source, signal),
  }
}

function findDifferences(db: DatabaseSync, compared: ComparedRows, keys: string[] | undefined): Found {
  const { plan } = compared
  const { upsert } = plan.request
  if (upsert !== undefined) {
    const columns = keyColumns(plan, upsert.keys)
    requireSingleKeys(db, plan, columns)
    const counts = findByKeys(db, compared, columns, missingRows(upsert, typesOf(columns)))
    return { counts, matchedBy: columns.map(({ name }) => name) }
  }
  const columns = keys === undefined ? undefined : keyColumns(plan, keys)
  if (columns === undefined || !haveKeys(db, compared, columns)) {
    return { counts: findByRows(db, compared), matchedBy: [] }
  }
  const counts = findByKeys(db, compared, columns, { spared: [] })
  return { counts, matchedBy: columns.map(({ name }) => name) }
}

/** Returns the envelope of all changed rows, before and after the change. */
function differenceBounds(
  db: DatabaseSync,
  { table, id, geometry }: GeoPackageLoadPlan,
): Envelope | undefined {
  if (geometry === undefined) return undefined
  const envelope = emptyEnvelope()
  db.function('extend_bounds', { directOnly: true }, (blob) => {
    extendEnvelope(envelope, geometryBox(blob))
    return null
  })
  const column = quoteName(geometry.name)
  db.prepare(
    `SELECT count(extend_bounds(g)) FROM (
       SELECT x.${column} AS g FROM ${differencesTable} d CROSS JOIN main.${quoteName(table)} x ON x.${quoteName(id)} = d.target
       UNION ALL SELECT s.c0 FROM ${differencesTable} d CROSS JOIN side.t s ON s.id = d.staged)`,
  ).get()
  return isEmptyEnvelope(envelope) ? undefined : envelope
}

function findNotTried(db: DatabaseSync, { existing, table, geometry }: GeoPackageLoadPlan): string[] {
  if (existing === undefined) return []
  const hasTriggers = foreignTriggers(db, table, geometry?.name).length > 0
  const hasForeignKeys = refersToOthers(db, table) || isReferenced(db, table)
  return [...(hasTriggers ? ['triggers'] : []), ...(hasForeignKeys ? ['foreign keys'] : [])]
}
