import { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { quoteIdentifier } from '../../core/postgres/quote.ts'

/** Folder of the files in the catalogue, and where they are now. */
export interface Move {
  from: string
  to: string
}

/** Tables that keep the paths of the time of their rows, and refuse changes. */
function isHistory(table: string): boolean {
  return table.startsWith('audit_')
}

/** Texts to replace: at the start of a value, and at the start of a text in a JSON document. */
function replacements({ from, to }: Move): { prefix: [string, string]; inJson: [string, string] } {
  const json = (text: string): string => JSON.stringify(`${text}/`).slice(0, -1)
  return { prefix: [`${from}/`, `${to}/`], inJson: [json(from), json(to)] }
}

/** Replaces the paths in all texts of an SQLite database. */
export function movePathsInSqlite(path: string, move: Move, takes: (table: string) => boolean): void {
  if (move.from === move.to) return
  const { prefix, inJson } = replacements(move)
  const database = new DatabaseSync(path)
  try {
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all()
      .map(({ name }) => String(name))
    database.exec('begin immediate')
    for (const table of tables.filter((one) => takes(one) && !isHistory(one)))
      for (const column of textColumns(database, table)) {
        const [name, of] = [quoteIdentifier(column), quoteIdentifier(table)]
        database
          .prepare(`update ${of} set ${name} = ? || substr(${name}, ?) where substr(${name}, 1, ?) = ?`)
          .run(prefix[1], prefix[0].length + 1, prefix[0].length, prefix[0])
        database
          .prepare(`update ${of} set ${name} = replace(${name}, ?, ?) where instr(${name}, ?) > 0`)
          .run(...inJson, inJson[0])
      }
    database.exec('commit')
  } finally {
    database.close()
  }
}

function textColumns(database: DatabaseSync, table: string): string[] {
  return database
    .prepare('select name, type from pragma_table_info(?)')
    .all(table)
    .filter(({ type }) => /text|char/i.test(String(type)))
    .map(({ name }) => String(name))
}

const columnsSql = `select table_schema as schema, table_name as "table", column_name as "column"
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_type = 'BASE TABLE' and data_type in ('text', 'character varying')
    and (table_schema = 'public' and table_name <> 'spatial_ref_sys' or table_name like '%\\_granules')
    and table_schema not in ('pg_catalog', 'information_schema')`

/** Replaces the paths in all texts of the catalogue, and in the indexes of mosaics. */
export async function movePathsInPostgres(client: Client, move: Move): Promise<void> {
  if (move.from === move.to) return
  const { prefix, inJson } = replacements(move)
  const { rows } = await client.query<{ schema: string; table: string; column: string }>(columnsSql)
  for (const { schema, table, column } of rows.filter((row) => !isHistory(row.table))) {
    const [name, of] = [quoteIdentifier(column), `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`]
    await client.query(`update ${of} set ${name} = $1 || substr(${name}, $2) where left(${name}, $3) = $4`, [
      prefix[1],
      prefix[0].length + 1,
      prefix[0].length,
      prefix[0],
    ])
    await client.query(
      `update ${of} set ${name} = replace(${name}, $1, $2) where strpos(${name}, $1) > 0`,
      inJson,
    )
  }
}
