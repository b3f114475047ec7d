import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { runSql } from './postgres.ts'

/** Returns the bytes of a file and of SQLite's files next to it, without the side files of loads. */
export function traceFile(path: string): Record<string, string> {
  if (!existsSync(dirname(path))) return {}
  const own = readdirSync(dirname(path)).filter((name) =>
    ['', '-wal', '-shm', '-journal'].some((suffix) => name === `${basename(path)}${suffix}`),
  )
  return Object.fromEntries(
    own.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(`${dirname(path)}/${name}`))
        .digest('hex'),
    ]),
  )
}

/** Databases in which sizes of dead rows can be read: two statements that create an extension at once fail. */
const prepared = new Map<string, Promise<unknown>>()

/**
 * Returns everything that writes leave in the tables of a schema, except staged rows: the versions of all
 * rows, dead rows, the size of the files, the sequences.
 */
export async function traceSchema(url: string, schema: string): Promise<unknown> {
  const isPrepared = prepared.get(url) ?? runSql(url, 'create extension if not exists pgstattuple')
  prepared.set(url, isPrepared)
  await isPrepared
  const tables = await runSql(
    url,
    `select c.oid::text as oid, format('%I.%I', $1::text, c.relname) as name, c.relfilenode, c.relkind
     from pg_class c where c.relnamespace = quote_ident($1)::regnamespace
     and c.relname not like 'terrane\\_%' order by c.relname`,
    [schema],
  )
  const traces: unknown[] = []
  for (const { oid, name, relfilenode, relkind } of tables) {
    const found =
      relkind === 'r'
        ? await runSql(
            url,
            `select (select dead_tuple_count from pgstattuple(${oid})) as dead, pg_total_relation_size(${oid}) as size,
             (select json_agg(t) from (select ctid::text, xmin::text, xmax::text from ${name} order by ctid) t) as rows`,
          )
        : relkind === 'S'
          ? await runSql(url, `select last_value, is_called from ${name}`)
          : []
    traces.push({ name, relfilenode, found })
  }
  return JSON.parse(JSON.stringify(traces))
}
