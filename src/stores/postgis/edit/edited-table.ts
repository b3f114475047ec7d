import type { ClientBase, QueryArrayConfig } from 'pg'
import { conflict } from '../../../core/errors/errors.ts'
import { quoteTable } from '../../../core/postgres/quote.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { FeaturePage } from '../../store.ts'
import { conditionsOf, identitySql } from '../read-conditions.ts'
import type { TextRow } from '../read-rows.ts'
import { batchOfRows, selectList, textTypes } from '../read-rows.ts'
import type { TableFacts } from '../table-facts.ts'
import { findTableFacts } from '../table-facts.ts'
import { schemaOf } from '../table-schema.ts'

const rightsSql = `
select array_remove(array[
  case when not has_table_privilege($1::oid, 'select') then 'SELECT' end,
  case when not has_table_privilege($1::oid, 'insert') then 'INSERT' end,
  case when not has_table_privilege($1::oid, 'update') then 'UPDATE' end,
  case when not has_table_privilege($1::oid, 'delete') then 'DELETE' end], null) as missing,
  has_schema_privilege($2, 'create') as keeps, current_user as user,
  (select relkind from pg_class where oid = $1::oid) as kind`

interface Rights {
  missing: string[]
  keeps: boolean
  user: string
  kind: string
}

/** A table whose rows are edited individually. */
export interface EditedRows {
  facts: TableFacts & { primaryKey: string }
  schema: Schema
  /** True if Terrane may create tables next to it. */
  mayKeep: boolean
}

/** Returns why the rows of a table cannot be changed; undefined if they can. */
export async function whyNotEdited(
  client: ClientBase,
  schema: string,
  name: string,
): Promise<string | undefined> {
  const found = await findEditedRows(client, schema, name)
  return typeof found === 'string' ? found : undefined
}

/** Throws `Failure` if the rows cannot be changed. */
export async function getEditedRows(client: ClientBase, schema: string, name: string): Promise<EditedRows> {
  const found = await findEditedRows(client, schema, name)
  if (typeof found === 'string') throw conflict('table-read-only', found)
  return found
}

async function findEditedRows(
  client: ClientBase,
  schema: string,
  name: string,
): Promise<EditedRows | string> {
  const facts = await findTableFacts(client, schema, name)
  if (facts === undefined) return `There is no table "${name}" in schema "${schema}"`
  const { rows } = await client.query<Rights>(rightsSql, [facts.oid, schema])
  const { missing = [], keeps = false, user = '', kind = '' } = rows[0] ?? {}
  if (kind !== 'r' && kind !== 'p') return `"${name}" is ${kind === 'f' ? 'a foreign table' : 'a view'}`
  const { primaryKey } = facts
  if (primaryKey === undefined)
    return `The table "${name}" has no primary key of one column, by which a feature could be named`
  if (missing.length > 0)
    return `The user "${user}" of its store has no right to ${missing.join(', ')} in the table "${name}"`
  return { facts: { ...facts, primaryKey }, mayKeep: keeps, ...(await schemaOf(client, facts)) }
}

/** Returns one row; undefined if it does not exist. */
export async function readRow(
  client: ClientBase,
  { facts, schema }: EditedRows,
  featureId: string,
): Promise<FeaturePage | undefined> {
  const conditions = conditionsOf(facts, { table: facts.name, featureId })
  const list = [`${identitySql(facts)}::text`, ...selectList(facts, schema.attributes, { isExact: false })]
  const query: QueryArrayConfig = {
    text: `select ${list.join(', ')} from ${quoteTable(facts.schema, facts.name)} ${conditions.sql}`,
    values: conditions.values,
    rowMode: 'array',
    types: textTypes,
  }
  const { rows } = await client.query<TextRow>(query)
  const [row] = rows
  if (row === undefined) return undefined
  return { batch: batchOfRows(schema, [row], 1, () => 1), ids: [row[0] ?? featureId] }
}
