import { conflict, invalid } from '../../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { Connection } from '../session.ts'
import type { TableFacts } from '../table-facts.ts'

const doing = 'looking for repeated keys'

/** Number of rows, of rows with a complete key, and of distinct keys. */
interface KeyCounts {
  rows: number
  keyed: number
  keys: number
}

/**
 * Counts the keys of a relation with the columns of `facts`. Sorting numbers takes a third of the time of
 * grouping them; texts are grouped.
 */
async function countKeys(
  connection: Connection,
  relation: string,
  { columns }: TableFacts,
  keys: readonly string[],
): Promise<KeyCounts> {
  const list = keys.map(quoteIdentifier)
  const [key = ''] = list
  const type = columns.find(({ name }) => name === keys[0])?.attribute?.type
  const isSorted = keys.length === 1 && type !== undefined && type !== 'text'
  const isKeyed = list.map((one) => `${one} is not null`).join(' and ')
  const { rows } = await connection.client.query<KeyCounts>(
    isSorted
      ? `select count(*)::float8 as rows, count(${key})::float8 as keyed, count(distinct ${key})::float8 as keys from ${relation}`
      : `select coalesce(sum(n), 0)::float8 as rows, coalesce(sum(n) filter (where is_keyed), 0)::float8 as keyed,
           count(*) filter (where is_keyed)::float8 as keys
         from (select count(*) as n, ${isKeyed} as is_keyed from ${relation} group by ${list.join(', ')}) grouped`,
  )
  return rows[0] ?? { rows: 0, keyed: 0, keys: 0 }
}

/** True if each row of a relation with the columns of `facts` has a unique key without nulls. */
export async function areKeysUnique(
  connection: Connection,
  relation: string,
  facts: TableFacts,
  keys: readonly string[],
): Promise<boolean> {
  try {
    const found = await countKeys(connection, relation, facts, keys)
    return found.rows === found.keys
  } catch (error) {
    throw hasNoEquality(error) ? keysWithoutEquality(keys) : error
  }
}

/** A complete unique index on some of the keys, with the same equality as the columns. */
const uniqueSql = `
select exists (select from pg_index i join pg_class c on c.oid = i.indrelid
  where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
    and (c.relkind = 'p' or not c.relhassubclass)
    and not exists (select from generate_series(0, i.indnkeyatts - 1) k
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k]
      where a.attname <> all($2::text[]) or a.attcollation <> i.indcollation[k])) as found`

/** Throws `Failure` if a key occurs twice in the table, so that the row to update is ambiguous. */
export async function requireSingleKeys(
  connection: Connection,
  facts: TableFacts,
  keys: readonly string[],
): Promise<void> {
  const { rows: indexed } = await connection.run<{ found: boolean }>(doing, uniqueSql, [facts.oid, keys])
  if (indexed[0]?.found === true) return
  const target = quoteTable(facts.schema, facts.name)
  const counted = await countKeys(connection, target, facts, keys)
  if (counted.keyed === counted.keys) return
  const list = keys.map(quoteIdentifier)
  const { rows } = await connection.run<Record<string, string>>(
    doing,
    `select count(*)::text as n, ${list.map((key, n) => `min(${key}::text) as k${n}`).join(', ')}
     from ${target} where ${list.map((key) => `${key} is not null`).join(' and ')}
     group by ${list.join(', ')} having count(*) > 1 limit 1`,
  )
  const found = rows[0]
  if (found === undefined) return
  const values = keys.map((key, n) => `${key} = ${found[`k${n}`]}`).join(', ')
  throw conflict('ambiguous-key', `${found['n']} rows of "${facts.name}" have the same key: ${values}`)
}

/**
 * Updates statistics of the keys, without which joins assume few rows. A sample of some thousand rows shows
 * that there are about as many keys as rows.
 */
export async function analyzeKeys(
  connection: Connection,
  relation: string,
  keys: readonly string[],
): Promise<void> {
  const list = keys.map(quoteIdentifier).join(', ')
  const analyze = `begin; set local default_statistics_target = 10; analyze ${relation} (${list}); commit`
  await connection.run('analysing', analyze)
}

/** True for PostgreSQL's error for types without equality, such as `json` and `xml`. */
function hasNoEquality(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42883'
}

function keysWithoutEquality(keys: readonly string[]): Error {
  return invalid('invalid-keys', `PostgreSQL cannot compare values of the keys ${keys.join(', ')}`)
}
