import type { Envelope } from '../../../geo/envelope.ts'
import { defined } from '../../../lib/defined.ts'
import { conflict } from '../../../lib/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../lib/postgres/quote.ts'
import type { ChangeCounts, RowChange, TableComparison } from '../../changes.ts'
import type { ComparedRows, HeldRows } from '../held-rows.ts'
import { isGivenId, requireKeys } from '../held-rows.ts'
import { identitySql } from '../read-conditions.ts'
import type { Connection } from '../session.ts'
import { extentOfRow } from '../table-extent.ts'
import type { TableFacts } from '../table-facts.ts'
import { areKeysUnique, changesTable, findChangesByKeys, findChangesByRows } from './find-changes.ts'
import { findNotTried } from './not-tried.ts'
import type { ChangeSource } from './read-changes.ts'
import { placeJoin, readChanges } from './read-changes.ts'

interface Found {
  counts: ChangeCounts
  matchedBy: string[]
}

/**
 * What a commit of the staged rows would do, in a transaction that sees one state of the table and holds no lock that a
 * writer waits for. It stays open for `changes`: whoever does anything else on the connection rolls it back.
 */
export async function compareStaged(
  connection: Connection,
  rows: ComparedRows,
  keys: string[] | undefined,
  signal: AbortSignal,
): Promise<TableComparison> {
  const doing = 'comparing the rows'
  await connection.run(doing, 'rollback')
  const matched = rows.upsert?.keys ?? keys
  if (matched !== undefined && !rows.isAddition) await analyzeKeys(connection, rows, matched)
  await connection.run(doing, 'begin isolation level repeatable read')
  const { counts, matchedBy } = await findChanges(connection, rows, keys)
  const source = rows.isAddition ? additionSource(rows) : changeSource(rows, matchedBy)
  const bounds = rows.isAddition
    ? await boundsOf(connection, rows.facts, `from ${rows.relation} side`)
    : await changedBounds(connection, rows)
  return defined({
    counts,
    matchedBy,
    bounds,
    notTried: [...(await findNotTried(connection, rows)), ...rows.notTried],
    changes: () => readChanges(connection, source, signal),
  })
}

/** Without statistics of the keys the rows are joined as if there were few. */
async function analyzeKeys(connection: Connection, rows: ComparedRows, keys: string[]): Promise<void> {
  requireKeys(rows, keys)
  await connection.run('analysing', `analyze ${rows.relation} (${keys.map(quoteIdentifier).join(', ')})`)
}

async function findChanges(
  connection: Connection,
  rows: ComparedRows,
  keys: string[] | undefined,
): Promise<Found> {
  const { relation, upsert, facts } = rows
  if (rows.isAddition) {
    const { rows: counted } = await connection.run<{ n: number }>(
      'counting the rows',
      `select count(*)::float8 as n from ${relation}`,
    )
    return { counts: { added: counted[0]?.n ?? 0, changed: 0, removed: 0, same: 0 }, matchedBy: [] }
  }
  const target = quoteTable(facts.schema, facts.name)
  if (upsert !== undefined) {
    await requireSingleKeys(connection, facts, upsert.keys)
    const removesMissing = upsert.deletesMissing
    const counts = await findChangesByKeys(connection, rows, upsert.keys, { removesMissing })
    return { counts, matchedBy: upsert.keys }
  }
  const areUnique =
    keys !== undefined &&
    (await areKeysUnique(connection, relation, keys)) &&
    (await areKeysUnique(connection, target, keys))
  if (!areUnique) return { counts: await findChangesByRows(connection, rows), matchedBy: [] }
  const counts = await findChangesByKeys(connection, rows, keys, { removesMissing: true })
  return { counts, matchedBy: keys }
}

/** Throws `Failure` where a key stands in the table twice, so that nobody knows which row is meant. */
export async function requireSingleKeys(
  connection: Connection,
  facts: TableFacts,
  keys: readonly string[],
): Promise<void> {
  const list = keys.map(quoteIdentifier)
  const { rows } = await connection.run<Record<string, string>>(
    'looking for repeated keys',
    `select count(*)::text as n, ${list.map((key, n) => `min(${key}::text) as k${n}`).join(', ')}
     from ${quoteTable(facts.schema, facts.name)} where ${list.map((key) => `${key} is not null`).join(' and ')}
     group by ${list.join(', ')} having count(*) > 1 limit 1`,
  )
  const found = rows[0]
  if (found === undefined) return
  const values = keys.map((key, n) => `${key} = ${found[`k${n}`]}`).join(', ')
  throw conflict('ambiguous-key', `${found['n']} rows of "${facts.name}" have the same key: ${values}`)
}

function additionSource(rows: ComparedRows): ChangeSource {
  const { relation, facts } = rows
  const from = (): string => `from ${relation} after order by after.ctid`
  return { from, kinds: ['added'], facts, columns: toldColumns(rows, []), keptColumns: [], id: () => 'null' }
}

/** The columns that are told of a row: the id that the server gives stands beside them. */
function toldColumns({ facts, columns }: HeldRows, keys: readonly string[]): string[] {
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
  const told = toldColumns(upsert === undefined ? rows : { ...rows, columns: all }, keys)
  const keptColumns = told.filter((name) => !columns.includes(name))
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
  return { from, kinds: ['removed', 'changed', 'added'], facts, columns: told, keptColumns, id }
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
