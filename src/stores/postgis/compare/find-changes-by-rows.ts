import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { ChangeCounts } from '../../changes.ts'
import type { ComparedColumn, HeldRows } from '../held-rows.ts'
import { comparedColumns } from '../held-rows.ts'
import type { Connection } from '../session.ts'
import { beginWithout, changesTable, countChanges, differsIn } from './find-changes.ts'

const doing = 'comparing the rows'
const restTable = 'pg_temp.terrane_rest'
/**
 * Number of rows sampled to find out if equal ids mean equal rows, and the minimum share of equal rows for
 * matching by id.
 */
const sampledRows = 1000
const shareWorthMatching = 0.5

/** Compares whole rows, with their multiplicity. */
export async function findChangesByRows(connection: Connection, rows: HeldRows): Promise<ChangeCounts> {
  await beginWithout(connection)
  const compared = comparedColumns(rows, [])
  const target = quoteTable(rows.facts.schema, rows.facts.name)
  const values = (alias: string): string => valueList(compared, alias)
  const names = compared.map((_, number) => `v${number}`).join(', ')
  const grouping = names === '' ? '' : `group by ${names}`
  const { held, present } = (await findRest(connection, rows, compared)) ?? {
    held: `${rows.relation} held`,
    present: `${target} present`,
  }
  const both = `(select held.ctid as stid, null::oid as toid, null::tid as tid${values('held')} from ${held}
    union all
    select null, present.tableoid, present.ctid${values('present')} from ${present}) both_sides`
  await connection.run(
    doing,
    `create temporary table terrane_groups on commit drop as
     select count(stid) as held, count(tid) as present, min(stid) as stid, min(tid) as tid, min(toid) as toid
       ${names === '' ? '' : `, ${names}`}
     from ${both} ${grouping} having count(stid) <> count(tid)`,
  )
  await connection.run(
    doing,
    `insert into ${changesTable} (change, toid, tid, stid) select case when held = 1 then 'added' else 'removed' end, toid, tid, stid
     from pg_temp.terrane_groups where held + present = 1`,
  )
  await addRepeated(connection, rows, compared)
  await connection.run(doing, `drop table pg_temp.terrane_groups; drop table if exists ${restTable}`)
  const { added, removed, held: count } = await countChanges(connection, rows)
  return { added, changed: null, removed, same: count - added }
}

const valueList = (compared: ComparedColumn[], alias: string): string =>
  compared.map(({ valueIn }, number) => `, ${valueIn(alias)} as v${number}`).join('')

/** Adds rows for repeated values: as many as one side has in excess. */
async function addRepeated(
  connection: Connection,
  rows: HeldRows,
  compared: ComparedColumn[],
): Promise<void> {
  const found = await connection.run<{ found: boolean }>(
    doing,
    'select exists (select from pg_temp.terrane_groups where held + present > 1) as found',
  )
  if (found.rows[0]?.found !== true) return
  await connection.run(
    doing,
    `create temporary table terrane_repeated on commit drop as
     select *, row_number() over () as number, hash_record(row(${compared.map((_, n) => `v${n}`).join(', ')})) as hash
     from pg_temp.terrane_groups where held + present > 1; analyze pg_temp.terrane_repeated (hash)`,
  )
  const same = compared.map((_, n) => ` and many.v${n} is not distinct from one.v${n}`).join('')
  const target = quoteTable(rows.facts.schema, rows.facts.name)
  const places = {
    added: 'null::oid as toid, null::tid as tid, one.stid',
    removed: 'one.toid, one.tid, null::tid',
  }
  for (const [change, relation, own, other] of [
    ['added', rows.relation, 'held', 'present'],
    ['removed', target, 'present', 'held'],
  ] as const) {
    const place = change === 'added' ? 'one.ctid as stid' : 'one.ctid as tid, one.tableoid as toid'
    await connection.run(
      doing,
      `insert into ${changesTable} (change, toid, tid, stid)
       select '${change}', ${places[change]} from (
         select one.*, many.${own} - many.${other} as surplus,
           row_number() over (partition by many.number order by ${change === 'added' ? 'one.stid desc' : 'one.toid, one.tid'}) as occurrence
         from (select ${place}${valueList(compared, 'one')},
             hash_record(row(${compared.map(({ valueIn }) => valueIn('one')).join(', ')})) as hash from ${relation} one) one
         join pg_temp.terrane_repeated many on many.hash = one.hash${same}
         where many.${own} > many.${other}) one
       where occurrence <= surplus`,
    )
  }
  await connection.run(doing, 'drop table pg_temp.terrane_repeated')
}

/**
 * If most rows have their previous id, as in a repeated delivery of the same data, matches these rows first:
 * joining rows takes half the time of grouping them. Returns SELECT statements for the other rows.
 */
async function findRest(
  connection: Connection,
  { facts, relation, columns }: HeldRows,
  compared: ComparedColumn[],
): Promise<{ held: string; present: string } | undefined> {
  const { primaryKey } = facts
  if (primaryKey === undefined || !columns.includes(primaryKey)) return undefined
  const key = quoteIdentifier(primaryKey)
  const target = quoteTable(facts.schema, facts.name)
  const differs = differsIn(compared)
  const sampled = await connection.run<{ share: number | null }>(
    doing,
    `select avg(case when ${differs} then 0 else 1 end)::float8 as share
     from (select * from ${relation} limit ${sampledRows}) held left join ${target} present on held.${key} = present.${key}`,
  )
  if ((sampled.rows[0]?.share ?? 0) < shareWorthMatching) return undefined
  await connection.run(
    doing,
    `create temporary table terrane_rest on commit drop as
     select held.ctid as stid, present.ctid as tid, present.tableoid as toid
     from ${relation} held full join ${target} present on held.${key} = present.${key}
     where held.${key} is null or present.${key} is null or ${differs}; analyze ${restTable}`,
  )
  return {
    held: `${restTable} rest join ${relation} held on held.ctid = rest.stid`,
    present: `${restTable} rest join ${target} present on present.ctid = rest.tid and present.tableoid = rest.toid`,
  }
}
