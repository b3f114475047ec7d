import type { Connection } from './session.ts'

/**
 * True if a table can be replaced by another one of the same form: an ordinary table of this user without
 * anything that a new table would lack. Views, foreign keys, policies, triggers, publications, privileges,
 * comments, statistics objects, inheritance and separate sequences stay with the old table, so each of them
 * excludes a replacement.
 */
const standaloneSql = `
select c.relkind = 'r' and c.relpersistence = 'p' and not c.relispartition and not c.relhassubclass
  and not c.relrowsecurity and c.relacl is null and c.reloptions is null and c.reltablespace = 0
  and c.relreplident = 'd' and c.relowner = (select oid from pg_roles where rolname = current_user)
  and not exists (select from pg_inherits where inhrelid = c.oid or inhparent = c.oid)
  and not exists (select from pg_trigger where tgrelid = c.oid)
  and not exists (select from pg_policy where polrelid = c.oid)
  and not exists (select from pg_constraint
    where (conrelid = c.oid and contype not in ('p', 'n')) or confrelid = c.oid)
  and not exists (select from pg_publication_rel where prrelid = c.oid)
  and not exists (select from pg_publication where puballtables)
  and not exists (select from pg_description where classoid = 'pg_class'::regclass
    and (objoid = c.oid or objoid in (select indexrelid from pg_index where indrelid = c.oid)))
  and not exists (select from pg_seclabel where classoid = 'pg_class'::regclass and objoid = c.oid)
  and not exists (select from pg_statistic_ext where stxrelid = c.oid)
  and not exists (select from pg_attribute where attrelid = c.oid and attnum > 0
    and (attacl is not null or attgenerated <> '' or attoptions is not null or coalesce(attstattarget, -1) >= 0))
  and not exists (select from pg_index where indrelid = c.oid
    and (indisclustered or indisreplident or not indisvalid or (indisunique and not indisprimary)))
  and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
  and not exists (select from pg_depend d where d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
    and not (d.classid = 'pg_class'::regclass and (d.deptype = 'i'
      or exists (select from pg_index i where i.indexrelid = d.objid and i.indrelid = c.oid)))
    and not (d.classid = 'pg_constraint'::regclass
      and exists (select from pg_constraint k where k.oid = d.objid and k.conrelid = c.oid))
    and not (d.classid = 'pg_attrdef'::regclass
      and exists (select from pg_attrdef f where f.oid = d.objid and f.adrelid = c.oid))
    and d.classid <> 'pg_type'::regclass)
  and not exists (select from pg_depend d join pg_type t on t.typrelid = c.oid
    where d.refclassid = 'pg_type'::regclass and d.refobjid in (t.oid, t.typarray) and d.deptype <> 'i') as standalone
from pg_class c where c.oid = $1`

export async function isStandalone(connection: Connection, oid: number): Promise<boolean> {
  const { rows } = await connection.run<{ standalone: boolean }>(
    'looking for what depends on the table',
    standaloneSql,
    [oid],
  )
  return rows[0]?.standalone ?? false
}
