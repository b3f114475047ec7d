import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { ChangeCounts, RowChange, TableComparison } from '../../changes.ts'
import { missingRows } from '../../spared-texts.ts'
import type { ComparedRows, HeldRows } from '../held-rows.ts'
import { isGivenId, keyTypes, requireKeys } from '../held-rows.ts'
import { identitySql } from '../read-conditions.ts'
import type { Connection } from '../session.ts'
import { extentOfRow } from '../table-extent.ts'
import type { TableFacts } from '../table-facts.ts'
import { changesTable, findChangesByKeys, resizeColumn } from './find-changes.ts'
import { findChangesByRows } from './find-changes-by-rows.ts'
import { findNotTried } from './not-tried.ts'
import type { ChangeSource } from './read-changes.ts'
import { placeJoin, readChanges } from './read-changes.ts'
import { analyzeKeys, areKeysUnique, requireSingleKeys } from './single-keys.ts'

interface Found {
  counts: ChangeCounts
  matchedBy: string[]
}

/**
 * Returns what a commit of the staged rows would do, in a transaction that sees one state of the table and
 * holds no lock that blocks writers. It stays open for `changes`: anything else on the connection must roll
 * it back first.
 */
export async function compareStaged(
  connection: Connection,
  rows: ComparedRows,
  keys: string[] | undefined,
  signal: AbortSignal,
): Promise<TableComparison> {
  const doing = 'comparing the rows'
  await connection.run(doing, 'rollback')
  await resizeColumn(connection)
  const matched = rows.upsert?.keys ?? keys
  if (matched !== undefined && !rows.isAddition) {
    requireKeys(rows, matched)
    await analyzeKeys(connection, rows.relation, matched)
  }
  await connection.run(doing, 'begin isolation level repeatable read; set local synchronize_seqscans = off')
  const { counts, matchedBy } = await findChanges(connection, rows, keys)
  const source = rows.isAddition ? additionSource(rows) : changeSource(rows, matchedBy)
  const bounds = rows.isAddition ? await addedBounds(connection, rows) : await changedBounds(connection, rows)
  return {
    counts,
    matchedBy,
    bounds,
    notTried: [...(await findNotTried(connection, rows)), ...rows.notTried],
    changes: () => readChanges(connection, source, signal),
  }
}

async function findChanges(
  connection: Connection,
  rows: ComparedRows,
  keys: string[] | undefined,
): Promise<Found> {
  const { relation, upsert, facts } = rows
  if (rows.isAddition) {
    return { counts: { added: rows.rowCount, changed: 0, removed: 0, same: 0 }, matchedBy: [] }
  }
  const target = quoteTable(facts.schema, facts.name)
  if (upsert !== undefined) {
    await requireSingleKeys(connection, facts, upsert.keys)
    const missing = missingRows(upsert, keyTypes(facts, upsert.keys))
    const counts = await findChangesByKeys(connection, rows, upsert.keys, missing)
    return { counts, matchedBy: upsert.keys }
  }
  const areUnique =
    keys !== undefined &&
    (await areKeysUnique(connection, relation, facts, keys)) &&
    (await areKeysUnique(connection, target, facts, keys))
  if (!areUnique) return { counts: await findChangesByRows(connection, rows), matchedBy: [] }
  const counts = await findChangesByKeys(connection, rows, keys, { spared: [] })
  return { counts, matchedBy: keys }
}

function additionSource(rows: ComparedRows): ChangeSource {
  const { relation, facts } = rows
  // In order of location, without sorting all rows: scans start at the first one.
  const from = (): string => `from ${relation} after`
  return {
    from,
    kinds: ['added'],
    facts,
    columns: reportedColumns(rows, []),
    keptColumns: [],
    id: () => 'null',
  }
}

/** Returns the reported columns of a row; the id that the server assigns is reported separately. */
function reportedColumns({ facts, columns }: HeldRows, keys: readonly string[]): string[] {
  const hidden = facts.columns
    .filter((column) => column.isGenerated || (isGivenId(facts, column) && !keys.includes(column.name)))
    .map(({ name }) => name)
  return columns.filter((name) => !hidden.includes(name))
}

function changeSource(rows: ComparedRows, keys: readonly string[]): ChangeSource {
  const { relation, facts, columns, upsert } = rows
  const all = [
    ...facts.columns.map(({ name }) => name),
    ...(facts.geometry === undefined ? [] : [facts.geometry.name]),
  ]
  const reported = reportedColumns(upsert === undefined ? rows : { ...rows, columns: all }, keys)
  const keptColumns = reported.filter((name) => !columns.includes(name))
  const before = placeJoin(facts, 'before')
  const after = `join ${relation} after on after.ctid = change.stid`
  const from = (change: RowChange['change']): string => {
    const joins = { removed: before, changed: `${before} ${after}`, added: after }
    const place = change === 'added' ? 'change.stid' : 'change.toid, change.tid'
    return `from ${changesTable} change ${joins[change]} where change.change = '${change}' order by ${place}`
  }
  const identity = identitySql(facts)
  const id = (change: RowChange['change']): string =>
    identity === undefined || change === 'added' ? 'null' : `before.${identity}::text`
  return { from, kinds: ['removed', 'changed', 'added'], facts, columns: reported, keptColumns, id }
}

async function addedBounds(connection: Connection, rows: ComparedRows): Promise<Envelope | undefined> {
  return rows.bounds ?? boundsOf(connection, rows.facts, `from ${rows.relation} side`)
}

async function changedBounds(connection: Connection, rows: ComparedRows): Promise<Envelope | undefined> {
  const { facts, relation, columns } = rows
  const geometry = quoteIdentifier(facts.geometry?.name ?? '')
  const held = columns.includes(facts.geometry?.name ?? '')
    ? ` union all select side.${geometry} from ${changesTable} change join ${relation} side on side.ctid = change.stid`
    : ''
  return boundsOf(
    connection,
    facts,
    `from (select side.${geometry} from ${changesTable} change ${placeJoin(facts, 'side')}${held}) side`,
  )
}

async function boundsOf(
  connection: Connection,
  { geometry }: TableFacts,
  from: string,
): Promise<Envelope | undefined> {
  if (geometry === undefined) return undefined
  const column = `side.${quoteIdentifier(geometry.name)}${geometry.isGeography ? '::geometry' : ''}`
  const { rows } = await connection.run<Record<string, number | null>>(
    'reading the bounds',
    `select ST_XMin(e) as minx, ST_YMin(e) as miny, ST_XMax(e) as maxx, ST_YMax(e) as maxy
     from (select ST_3DExtent(${column}) as e ${from}) bounds`,
  )
  return extentOfRow(rows[0])
}
