import type { ClientBase } from 'pg'
import type { UniqueKey } from '../store.ts'
import type { TableFacts } from './table-facts.ts'

/** Included columns of an index are not keys; an expression has column number 0. */
const uniqueSql = `
select array(select a.attname::text from unnest(i.indkey::int2[]) with ordinality k(number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where k.place <= i.indnkeyatts order by k.place) as columns, i.indisprimary as "isPrimary"
from pg_index i
where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and not 0 = any(i.indkey)`

/** Returns the primary key of a table, and its unique indexes without condition or expression. */
export async function findUniqueKeys(
  client: ClientBase,
  { oid }: Pick<TableFacts, 'oid'>,
): Promise<UniqueKey[]> {
  return (await client.query<UniqueKey>(uniqueSql, [oid])).rows
}

const indexedSql = `
select distinct a.attname::text as name from pg_index i
join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
where i.indrelid = $1 and i.indisvalid and i.indpred is null`

/** Returns first columns of indexes. */
export async function indexedColumns(
  client: ClientBase,
  { oid }: Pick<TableFacts, 'oid'>,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(indexedSql, [oid])
  return rows.map(({ name }) => name)
}
