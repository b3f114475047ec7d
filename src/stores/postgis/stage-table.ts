import { conflict } from '../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { LoadHooks, LoadRequest, LoadResult, TableDescription } from '../store.ts'
import type { IndexPlan, StagedIndex } from './build-indexes.ts'
import { buildIndexes, isAlwaysBuilt, stagedIndexes } from './build-indexes.ts'
import type { FinalSteps } from './commit.ts'
import { lockTable } from './commit.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { copyRows } from './copy-rows.ts'
import { isStandalone } from './dependents.ts'
import { describeTable } from './describe-table.ts'
import { findFreeNames } from './free-names.ts'
import type { ComparedRows } from './held-rows.ts'
import { stagingName, suffixedIdentifier } from './identifiers.ts'
import { advanceSequence, removeUnusedIds } from './kept-ids.ts'
import type { SentRows } from './send-rows.ts'
import type { Connection, PostgisSession } from './session.ts'
import { moveTableAside, tableSnapshot } from './snapshot-tables.ts'
import type { TableFacts } from './table-facts.ts'
import { findTableFacts } from './table-facts.ts'
import { schemaOf } from './table-schema.ts'
import type { NewTable, TargetPlan } from './target-plan.ts'

export interface LoadContext {
  settings: ConnectionSettings
  session: PostgisSession
  request: LoadRequest
  batches: AsyncIterable<FeatureBatch>
  hooks: LoadHooks
  /** Staged rows of an earlier dry run, if they are reused. */
  retainedRows?: SentRows
}

interface BuildPlan {
  createSql: string
  target: TargetPlan
  indexes: IndexPlan[]
  /** Identity column, whose sequence is renamed to `sequenceName` at the end. */
  identity: { column: string; sequenceName: string } | undefined
  /** The table that the new one replaces, if any. */
  replaced: TableFacts | undefined
}

/**
 * CREATE: the new table is filled, indexed and analysed under another name and renamed in the last
 * transaction.
 */
export function stageNewTable(
  context: LoadContext,
  connection: Connection,
  table: NewTable,
): Promise<FinalSteps> {
  const { request, settings } = context
  const staging = quoteTable(settings.schema, stagingName(request.loadId))
  const { plan } = table
  const index = (definition: string, suffix: string): IndexPlan => ({
    isUnique: false,
    isPrimaryKey: false,
    definition,
    finalName: suffixedIdentifier(request.table, suffix),
  })
  const indexes = plan.indexes.map((name) => index(`(${quoteIdentifier(name)})`, `_${name}_idx`))
  const key = index(`(${quoteIdentifier(table.primaryKey)})`, '_pkey')
  indexes.push({ ...key, isUnique: true, isPrimaryKey: true })
  if (plan.geometryColumn !== undefined) {
    indexes.unshift(index(`using gist (${quoteIdentifier(plan.geometryColumn)})`, '_geom_idx'))
  }
  return buildTable(context, connection, {
    createSql: `create table ${staging} ${table.definition}`,
    target: plan,
    indexes,
    identity: {
      column: table.primaryKey,
      sequenceName: suffixedIdentifier(request.table, `_${table.primaryKey}_seq`),
    },
    replaced: undefined,
  })
}

interface OldIndexRow {
  name: string
  definition: string
  is_primary: boolean
  prefix: string
}

const oldIndexesSql = `
select c.relname as name, pg_get_indexdef(i.indexrelid) as definition, i.indisprimary as is_primary,
  format('CREATE %sINDEX %I ON %I.%I ', case when i.indisunique then 'UNIQUE ' else '' end, c.relname,
    n.nspname, t.relname) as prefix
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
join pg_namespace n on n.oid = t.relnamespace
where i.indrelid = $1 order by c.relname`

const oldSequenceSql = `
select a.attname as column, c.relname as name
from pg_depend d join pg_class c on c.oid = d.objid and c.relkind = 'S'
join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
where d.refobjid = $1 and d.deptype = 'i' and d.classid = 'pg_class'::regclass`

/** REPLACE of a table without dependents: a new table with the same columns and indexes replaces it. */
export async function stageSwap(
  context: LoadContext,
  connection: Connection,
  target: TargetPlan,
  facts: TableFacts,
): Promise<FinalSteps> {
  const { request, settings } = context
  const staging = quoteTable(settings.schema, stagingName(request.loadId))
  const old = await connection.run<OldIndexRow>('reading the indexes', oldIndexesSql, [facts.oid])
  const sequence = await connection.run<{ column: string; name: string }>('reading', oldSequenceSql, [
    facts.oid,
  ])
  const kept = old.rows.map((row) => ({
    isUnique: row.is_primary,
    isPrimaryKey: row.is_primary,
    definition: row.definition.slice(row.prefix.length),
    finalName: row.name,
  }))
  const found = sequence.rows[0]
  return buildTable(context, connection, {
    createSql: `create table ${staging} (like ${quoteTable(facts.schema, facts.name)}
      including all excluding indexes excluding constraints)`,
    target,
    indexes: [...kept, ...newIndexes(target, facts, kept)],
    identity: found === undefined ? undefined : { column: found.column, sequenceName: found.name },
    replaced: facts,
  })
}

function newIndexes(target: TargetPlan, facts: TableFacts, kept: IndexPlan[]): IndexPlan[] {
  return target.indexes
    .map((name) => ({
      isUnique: false,
      isPrimaryKey: false,
      definition: `USING btree (${quoteIdentifier(name)})`,
      finalName: suffixedIdentifier(facts.name, `_${name}_idx`),
      plain: `USING btree (${name})`,
    }))
    .filter(({ definition, plain }) => !kept.some((has) => [definition, plain].includes(has.definition)))
}

async function buildTable(
  context: LoadContext,
  connection: Connection,
  plan: BuildPlan,
): Promise<FinalSteps> {
  const { request, settings } = context
  const staging = stagingName(request.loadId)
  const keeps = plan.replaced !== undefined && request.keepAs !== undefined
  const sent = context.retainedRows ?? (await fillStaging(context, connection, plan))
  const complete = await prepareReading(context, connection, plan, sent)
  return {
    connection,
    result: loadResult(sent, plan.target),
    complete,
    form: plan.replaced === undefined ? 'new' : 'swap',
    staged: request.isDryRun ? await stagedTable(context, connection, plan, sent) : undefined,
    place: async () => {
      const result = loadResult(sent, plan.target)
      const table = await describeStaged(context, connection, plan, sent)
      return { ...(keeps ? await keepReplaced(context, connection, plan, result) : result), table }
    },
    publish: async () => {
      if (plan.replaced !== undefined) await removeReplaced(context, connection, plan.replaced)
      await giveNames(connection, settings.schema, staging, request.table, plan)
    },
  }
}

/**
 * Creates indexes and statistics. In a dry run, indexes that can always be built are deferred to the commit.
 */
async function prepareReading(
  context: LoadContext,
  connection: Connection,
  plan: BuildPlan,
  { rowsSent }: SentRows,
): Promise<(() => Promise<void>) | undefined> {
  const { request, settings, retainedRows } = context
  const table = quoteTable(settings.schema, stagingName(request.loadId))
  const indexes = stagedIndexes(request, plan.indexes)
  const build = (some: StagedIndex[]): Promise<void> =>
    buildIndexes(context, connection, { table, indexes: some, rows: rowsSent })
  const complete = async (): Promise<void> => {
    await build(indexes)
    await connection.run('analysing', `analyze ${table}`)
  }
  if (request.isDryRun === true && retainedRows === undefined) {
    const known = { countedKey: plan.identity?.column, geometryColumn: plan.target.geometryColumn }
    await build(indexes.filter((index) => !isAlwaysBuilt(index, known)))
    return complete
  }
  await complete()
  return undefined
}

/** Describes the table after the load: its rows are the sent ones. */
async function describeStaged(
  { request, settings }: Pick<LoadContext, 'request' | 'settings'>,
  { client }: Connection,
  { replaced, identity }: BuildPlan,
  { rowsSent, envelope }: SentRows,
): Promise<TableDescription> {
  const facts = replaced ?? (await findTableFacts(client, settings.schema, stagingName(request.loadId)))
  if (facts === undefined) throw stagingGone(request)
  const primaryKey = replaced === undefined ? identity?.column : replaced.primaryKey
  const { schema } = await schemaOf(client, { ...facts, primaryKey })
  return { name: request.table, schema, featureCount: rowsSent, primaryKey, envelope }
}

function stagingGone({ loadId }: LoadRequest): Error {
  return new Error(`The staging table ${stagingName(loadId)} is gone`)
}

async function stagedTable(
  { request, settings }: Pick<LoadContext, 'request' | 'settings'>,
  connection: Connection,
  { replaced, target: { identity } }: BuildPlan,
  { rowsSent: rowCount, envelope: bounds }: SentRows,
): Promise<ComparedRows> {
  const staging = stagingName(request.loadId)
  const held = await findTableFacts(connection.client, settings.schema, staging)
  if (held === undefined) throw stagingGone(request)
  const facts = replaced ?? held
  const columns = [
    ...facts.columns.map(({ name }) => name),
    ...(facts.geometry === undefined ? [] : [facts.geometry.name]),
  ]
  return {
    relation: quoteTable(settings.schema, staging),
    facts,
    columns,
    isAddition: replaced === undefined,
    notTried: [],
    rowCount,
    bounds,
    identity,
  }
}

/**
 * FREEZE saves readers from updating each row on first access; the table must be created in the same
 * transaction.
 */
async function fillStaging(context: LoadContext, connection: Connection, plan: BuildPlan): Promise<SentRows> {
  const { request, settings, batches, hooks } = context
  const table = quoteTable(settings.schema, stagingName(request.loadId))
  await connection.run('beginning', `drop table if exists ${table}`)
  await connection.run('beginning', 'begin')
  await connection.run('beginning', 'set local synchronous_commit = off')
  await connection.run('creating the table', plan.createSql)
  const into = { table, plan: plan.target, options: 'format binary, freeze' }
  const sent = await copyRows(connection, into, batches, hooks)
  const { keptId } = plan.target
  if (keptId !== undefined) {
    const ids = { ...keptId, relation: table, order: 'ctid', table: request.table }
    if (!sent.hasUniqueIds) await removeUnusedIds(connection, ids, hooks)
    await advanceSequence(connection, { relation: table, column: keptId.column })
  }
  await connection.run('staging the rows', 'commit')
  return sent
}

/**
 * Takes the lock: from here on no other client writes, and the recorded state of the old table is the
 * retained one.
 */
async function keepReplaced(
  { request, hooks }: Pick<LoadContext, 'hooks' | 'request'>,
  connection: Connection,
  { replaced }: BuildPlan,
  result: LoadResult,
): Promise<LoadResult> {
  const { keepAs } = request
  if (replaced === undefined || keepAs === undefined) return result
  await lockTable(connection, quoteTable(replaced.schema, replaced.name), 'share row exclusive', hooks.signal)
  const table = await describeTable(connection.client, replaced)
  return { ...result, kept: await tableSnapshot(connection, keepAs, 'whole', { table, oid: replaced.oid }) }
}

async function removeReplaced(
  { request, hooks: { signal } }: Pick<LoadContext, 'hooks' | 'request'>,
  connection: Connection,
  old: TableFacts,
): Promise<void> {
  const table = quoteTable(old.schema, old.name)
  await lockTable(connection, table, 'access exclusive', signal)
  if (!(await isStandalone(connection, old.oid))) {
    throw conflict(
      'table-changed',
      `Something came to depend on table "${old.name}" during the load: load again`,
    )
  }
  if (request.keepAs === undefined) await connection.run('replacing the table', `drop table ${table}`)
  else await moveTableAside(connection, old, request.keepAs)
}

async function giveNames(
  connection: Connection,
  schema: string,
  staging: string,
  table: string,
  plan: BuildPlan,
): Promise<void> {
  const staged = quoteTable(schema, staging)
  const doing = 'naming the table'
  const freeName = await findFreeNames(connection, doing, { schema, table })
  const free = (requested: string): string => quoteIdentifier(freeName(requested))
  for (const [number, index] of plan.indexes.entries()) {
    const from = suffixedIdentifier(staging, `_${number}`)
    const to = free(index.finalName)
    await connection.run(doing, `alter index ${quoteTable(schema, from)} rename to ${to}`)
    if (index.isPrimaryKey) {
      await connection.run(doing, `alter table ${staged} add constraint ${to} primary key using index ${to}`)
    }
  }
  if (plan.identity !== undefined) {
    const sequence = await connection.run<{ name: string }>(
      doing,
      'select pg_get_serial_sequence($1, $2) as name',
      [staged, plan.identity.column],
    )
    const from = sequence.rows[0]?.name
    const to = free(plan.identity.sequenceName)
    if (from) await connection.run(doing, `alter sequence ${from} rename to ${to}`)
  }
  await connection.run(doing, `alter table ${staged} rename to ${quoteIdentifier(table)}`)
}

export function loadResult({ rowsSent, envelope }: SentRows, { renamed }: TargetPlan): LoadResult {
  return { rowsLoaded: rowsSent, renamed, envelope }
}
