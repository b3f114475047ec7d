import { quoteIdentifier } from '../../../core/postgres/quote.ts'
import { without } from '../../../core/values/defined.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { unionEnvelope } from '../../../geo/envelope.ts'
import type { ChangeCounts } from '../../changes.ts'
import type { TableDescription } from '../../store.ts'
import { changesTable } from '../compare/find-changes.ts'
import { actsOnRows } from '../row-check.ts'
import type { Connection } from '../session.ts'
import { extentOfRow, extentSql, findExtent } from '../table-extent.ts'
import type { AppliedRows } from './apply-changes.ts'

/**
 * Returns the table description after changes, derived from the description `before` and the changed or
 * removed rows in `old`; undefined if only scanning the table can tell.
 */
export async function describeAfter(
  connection: Connection,
  rows: AppliedRows,
  { before, counts, old }: { before: TableDescription; counts: ChangeCounts; old: string },
): Promise<TableDescription | undefined> {
  const { featureCount } = before
  if (featureCount === undefined || (await actsOnRows(connection, rows.facts))) return undefined
  const envelope = await boundsAfter(connection, rows, before.envelope, old)
  return {
    ...without(before, 'envelope'),
    featureCount: featureCount + counts.added - counts.removed,
    envelope,
  }
}

/** Scans all rows only if a removed one was alone at an edge. */
async function boundsAfter(
  connection: Connection,
  rows: AppliedRows,
  before: Envelope | undefined,
  old: string,
): Promise<Envelope | undefined> {
  const { facts, relation, columns } = rows
  if (facts.geometry === undefined) return undefined
  const gone = await extentOf(connection, rows, `from ${old}`)
  if (before !== undefined && gone !== undefined && reachesEdge(gone, before))
    return findExtent(connection, facts)
  const isHeld = columns.includes(facts.geometry.name)
  const come = isHeld
    ? await extentOf(
        connection,
        rows,
        `from (select held.${quoteIdentifier(facts.geometry.name)} from ${changesTable} change
         join ${relation} held on held.ctid = change.stid) come`,
      )
    : undefined
  return before === undefined || come === undefined ? (before ?? come) : unionEnvelope(before, come)
}

async function extentOf(
  connection: Connection,
  { facts }: AppliedRows,
  from: string,
): Promise<Envelope | undefined> {
  const { rows } = await connection.run<Record<string, number | null>>(
    'reading the bounds',
    `select ST_XMin(e) as minx, ST_YMin(e) as miny, ST_XMax(e) as maxx, ST_YMax(e) as maxy
     from (select ${extentSql(facts)} as e ${from}) bounds`,
  )
  return extentOfRow(rows[0])
}

function reachesEdge(some: Envelope, whole: Envelope): boolean {
  return (
    some.minX <= whole.minX || some.minY <= whole.minY || some.maxX >= whole.maxX || some.maxY >= whole.maxY
  )
}
