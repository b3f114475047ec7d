import type { HeldRows } from '../held-rows.ts'
import type { Connection } from '../session.ts'

interface Effects {
  triggers: boolean
  rules: boolean
  references: boolean
  exclusions: boolean
}

/**
 * Triggers of the table or one of its partitions, rules, foreign keys in either direction, and exclusion
 * constraints.
 */
const effectsSql = `
with recursive family(oid) as (
  select $1::oid union select i.inhrelid from pg_inherits i join family f on f.oid = i.inhparent
)
select
  exists (select from pg_trigger t join family f on f.oid = t.tgrelid where not t.tgisinternal and t.tgenabled <> 'D') as triggers,
  exists (select from pg_rewrite r join family f on f.oid = r.ev_class where r.rulename <> '_RETURN') as rules,
  exists (select from pg_constraint k join family f on f.oid in (k.conrelid, k.confrelid) where k.contype = 'f') as references,
  exists (select from pg_constraint k join family f on f.oid = k.conrelid where k.contype = 'x') as exclusions`

/**
 * Returns effects of a commit that the table definition causes and that cannot be predicted without writing.
 */
export async function findNotTried(connection: Connection, { facts }: HeldRows): Promise<string[]> {
  const { rows } = await connection.run<Effects>('reading the rules of the table', effectsSql, [facts.oid])
  const found = rows[0]
  if (found === undefined) return []
  return [
    ...(found.triggers ? ['triggers'] : []),
    ...(found.rules ? ['rules'] : []),
    ...(found.references ? ['foreign keys'] : []),
    ...(found.exclusions ? ['exclusion constraints'] : []),
  ]
}
