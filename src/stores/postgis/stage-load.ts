import { conflict } from '../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { LoadHooks, LoadRequest, LoadResult, StagedLoad } from '../store.ts'
import { addIndexes, analyzeTable } from './after-load.ts'
import { keepAdded, keeperOf, keepsDifferences, tellTouch } from './apply/keep-rows.ts'
import { requireRules, stageUpsert } from './apply/stage-upsert.ts'
import { geometryColumnType } from './column-types.ts'
import type { FinalSteps } from './commit.ts'
import { lockTable } from './commit.ts'
import { findRetainedRows, retainRows, stagedGone } from './compare/retained-rows.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { findTableRules } from './constraints.ts'
import { copyRows } from './copy-rows.ts'
import { isStandalone } from './dependents.ts'
import { stagingName } from './identifiers.ts'
import { actsOnRows, countRows, hasPolicies, requireRows } from './row-check.ts'
import { beginLoad } from './run-load.ts'
import type { Connection } from './session.ts'
import { findOrAddSrid, findSrid } from './srid.ts'
import type { LoadContext } from './stage-table.ts'
import { loadResult, stageNewTable, stageSwap } from './stage-table.ts'
import { stageTable } from './staging-table.ts'
import { findExtent } from './table-extent.ts'
import type { ColumnFacts, TableFacts } from './table-facts.ts'
import { findTableFacts } from './table-facts.ts'
import type { NewTable, TargetPlan } from './target-plan.ts'
import { planExistingTable, planNewTable } from './target-plan.ts'

/** Stages the rows of a load. On failure the target is unchanged and no staging table is left. */
export function stageLoad(
  settings: ConnectionSettings,
  request: LoadRequest,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<StagedLoad> {
  return beginLoad(settings, {
    loadId: request.loadId,
    signal: hooks.signal,
    stage: (session) => route({ settings, session, request, batches, hooks }),
    retainRows: (steps) => retainRows(settings.schema, request, steps),
  })
}

/** Continues with retained staged rows. */
export function takeUpLoad(
  settings: ConnectionSettings,
  request: LoadRequest,
  retainedRows: string,
  hooks: LoadHooks,
): Promise<StagedLoad> {
  return beginLoad(settings, {
    loadId: request.loadId,
    signal: hooks.signal,
    stage: (session) =>
      routeRetainedRows({ settings, session, request, batches: noBatches(), hooks }, retainedRows),
    retainRows: (steps) => retainRows(settings.schema, request, steps),
  })
}

async function* noBatches(): AsyncGenerator<FeatureBatch> {}

async function routeRetainedRows(context: LoadContext, text: string): Promise<FinalSteps> {
  const { session, settings, request } = context
  const connection = await session.connect()
  const { form, ...retainedRows } = await findRetainedRows(connection, settings.schema, request, text)
  const steps = await routeOn({ ...context, retainedRows }, connection)
  if (steps.form !== form) throw stagedGone(`something came to depend on "${request.table}"`)
  return steps
}

async function route(context: LoadContext): Promise<FinalSteps> {
  return routeOn(context, await context.session.connect())
}

async function routeOn(context: LoadContext, connection: Connection): Promise<FinalSteps> {
  const { request, settings, hooks } = context
  const facts = await findTableFacts(connection.client, settings.schema, request.table)
  if (facts === undefined || request.mode === 'CREATE') return routeNew(context, connection, facts)
  const plan = planExistingTable(request, facts, hooks)
  if (request.mode === 'UPSERT') {
    const upsert = requireRules(request.upsert)
    const rules = await findTableRules(connection, facts, plan.columns, upsert.keys)
    return stageUpsert(context, connection, { plan, facts, rules, upsert })
  }
  const rules = await findTableRules(connection, facts, plan.columns)
  if (isNative(plan, facts) && rules.checks.length === 0) {
    const isDirect =
      request.mode === 'APPEND' && !isBeside(context) && (await canAppendDirectly(context, connection, facts))
    if (isDirect) return appendDirectly(context, connection, plan, facts)
    if (request.mode === 'REPLACE' && (await isStandalone(connection, facts.oid)))
      return stageSwap(context, connection, plan, facts)
  }
  return stageTable(context, connection, plan, facts, rules, keeperOf(context, connection, facts))
}

/** True if nothing may be written to the table yet. */
function isBeside({ request, retainedRows }: Pick<LoadContext, 'request' | 'retainedRows'>): boolean {
  return request.isDryRun === true || retainedRows !== undefined
}

async function routeNew(
  context: LoadContext,
  connection: Connection,
  facts: TableFacts | undefined,
): Promise<FinalSteps> {
  const { request, settings } = context
  if (facts !== undefined) {
    throw conflict('table-exists', `Table "${request.table}" exists in schema "${settings.schema}"`)
  }
  if (request.mode === 'APPEND' || request.mode === 'UPSERT') {
    throw conflict('table-missing', `There is no table "${request.table}" in schema "${settings.schema}"`)
  }
  const { crs } = request.schema.geometry ?? {}
  if (!isBeside(context)) {
    const srid = await registerCrs(context, connection)
    return stageNewTable(context, connection, planNewTable(request, srid))
  }
  const known = crs === undefined ? 0 : await findSrid(connection.client, crs)
  const table = planNewTable(request, known ?? 0)
  const steps = await stageNewTable(context, connection, table)
  return known === undefined ? { ...steps, place: () => placeCrs(context, connection, table, steps) } : steps
}

async function registerCrs(
  { request, settings, hooks }: LoadContext,
  connection: Connection,
): Promise<number> {
  await connection.run('registering the CRS', 'begin')
  const srid = await findOrAddSrid(connection.client, request.schema.geometry?.crs)
  await connection.run('registering the CRS', 'commit')
  if (srid === undefined) {
    hooks.onMessage({
      level: 'warning',
      code: 'crs-not-registered',
      message: `The CRS is not in spatial_ref_sys, and user "${settings.user}" may not add it: the layer has no CRS there`,
    })
  }
  return srid ?? 0
}

/**
 * A dry run writes to no other table: staged rows get the id of a previously unknown CRS in the transaction
 * of the commit.
 */
async function placeCrs(
  { request, settings }: Pick<LoadContext, 'request' | 'settings'>,
  connection: Connection,
  { plan: { geometryColumn } }: NewTable,
  { result }: FinalSteps,
): Promise<LoadResult> {
  const { geometry } = request.schema
  const srid = await findOrAddSrid(connection.client, geometry?.crs)
  if (geometry === undefined || geometryColumn === undefined || srid === undefined || srid === 0)
    return result
  const column = quoteIdentifier(geometryColumn)
  await connection.run(
    'giving the rows their CRS',
    `alter table ${quoteTable(settings.schema, stagingName(request.loadId))}
     alter column ${column} type ${geometryColumnType(geometry, srid)} using ST_SetSRID(${column}, ${srid})`,
  )
  return result
}

/** True if COPY can write all values directly, without conversion by the server. */
function isNative(plan: TargetPlan, facts: TableFacts): boolean {
  if (facts.kind !== 'table') return false
  const isForeign = ({ name, attribute, isNumbered, isSerial }: ColumnFacts): boolean =>
    attribute === undefined || (isNumbered && (isSerial || name !== plan.keptId?.column))
  if (plan.matched.some(isForeign)) return false
  const { geometry } = facts
  return (
    plan.geometryColumn === undefined ||
    geometry === undefined ||
    (!geometry.isGeography && (geometry.hasDeclaredSrid || geometry.srid === 0))
  )
}

/**
 * False if triggers may change further rows or if rows have no key, because the rows are then copied before
 * any are added, and for row-level security policies, which forbid COPY.
 */
async function canAppendDirectly(
  { request }: Pick<LoadContext, 'request'>,
  connection: Connection,
  facts: TableFacts,
): Promise<boolean> {
  if (await hasPolicies(connection, facts)) return false
  return request.keepAs === undefined || (await keepsDifferences(connection, facts))
}

/**
 * APPEND to a table without rules of its own: COPY into the table itself, invisible to others until the
 * commit.
 */
async function appendDirectly(
  context: LoadContext,
  connection: Connection,
  plan: TargetPlan,
  facts: TableFacts,
): Promise<FinalSteps> {
  const { hooks, batches } = context
  const table = quoteTable(facts.schema, facts.name)
  await connection.run('putting the rows in place', 'begin')
  const isCounted = await actsOnRows(connection, facts)
  if (isCounted) await lockTable(connection, table, 'share row exclusive', hooks.signal)
  const before = isCounted ? await countRows(connection, facts) : 0
  await tellTouch(connection, facts, hooks)
  const sent = await copyRows(connection, { table, plan, options: 'format binary' }, batches, hooks)
  if (isCounted) requireRows(facts.name, (await countRows(connection, facts)) - before, sent.rowsSent)
  await addIndexes(connection, facts, plan)
  const extent = await findExtent(connection, facts)
  const result = loadResult({ ...sent, envelope: extent }, plan)
  return {
    connection,
    result,
    place: () => keepAdded(context, connection, facts, result),
    isBegun: true,
    finish: () => analyzeTable(connection, facts, hooks),
  }
}
