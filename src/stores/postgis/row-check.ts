import { conflict } from '../../core/errors/errors.ts'
import { quoteTable } from '../../core/postgres/quote.ts'
import type { Connection } from './session.ts'
import type { TableFacts } from './table-facts.ts'

/**
 * True if the table, a child table or a partition has triggers or rules, which may change the rows in any
 * way.
 */
const actsOnRowsSql = `
with recursive family(oid) as (
  select $1::oid union select i.inhrelid from pg_inherits i join family f on f.oid = i.inhparent
)
select exists (select from pg_trigger t join family f on f.oid = t.tgrelid
    where not t.tgisinternal and t.tgenabled <> 'D')
  or exists (select from pg_rewrite r join family f on f.oid = r.ev_class where r.rulename <> '_RETURN') as acts`

/** True if triggers or rules of the table may change rows that are inserted. */
export async function actsOnRows(connection: Connection, { oid }: TableFacts): Promise<boolean> {
  const { rows } = await connection.run<{ acts: boolean }>('reading the triggers', actsOnRowsSql, [oid])
  return rows[0]?.acts === true
}

/** True if row-level security policies may hide rows of a table from this user, or forbid them. */
export async function hasPolicies(connection: Connection, { oid }: TableFacts): Promise<boolean> {
  const { rows } = await connection.run<{ active: boolean }>(
    'reading the policies of the table',
    'select row_security_active($1::oid) as active',
    [oid],
  )
  return rows[0]?.active === true
}

export async function countRows(connection: Connection, { schema, name }: TableFacts): Promise<number> {
  const { rows } = await connection.run<{ n: string }>(
    'counting the rows',
    `select count(*)::text as n from ${quoteTable(schema, name)}`,
  )
  return Number(rows[0]?.n)
}

/** Throws `Failure` if inserted rows are missing in a table; additional ones are accepted. */
export function requireRows(table: string, found: number, expected: number): void {
  if (found >= expected) return
  throw conflict(
    'rows-lost',
    `The table "${table}" has ${found} of ${expected} rows that were put into it: its triggers, rules or policies drop or hide the others`,
  )
}
