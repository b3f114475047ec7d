import { invalid } from '../../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import { defined } from '../../../core/values/defined.ts'
import type { UpsertRules } from '../../changes.ts'
import type { Missing } from '../../spared-texts.ts'
import { missingRows } from '../../spared-texts.ts'
import type { LoadResult } from '../../store.ts'
import { addIndexes, analyzeTable } from '../after-load.ts'
import type { FinalSteps } from '../commit.ts'
import { lockTable } from '../commit.ts'
import { findChangesByKeys, resizeColumn } from '../compare/find-changes.ts'
import { readChanges } from '../compare/read-changes.ts'
import { analyzeKeys, areKeysUnique, requireSingleKeys } from '../compare/single-keys.ts'
import type { RowCheck, TableRules } from '../constraints.ts'
import { describeTable } from '../describe-table.ts'
import type { HeldRows } from '../held-rows.ts'
import { keyTypes, requireKeys } from '../held-rows.ts'
import type { SentRows } from '../send-rows.ts'
import type { Connection } from '../session.ts'
import type { LoadContext } from '../stage-table.ts'
import { loadResult } from '../stage-table.ts'
import { StagedRows } from '../staged-rows.ts'
import { refuseUnsafe } from '../staging-table.ts'
import { findExtent } from '../table-extent.ts'
import type { TableFacts } from '../table-facts.ts'
import type { TargetPlan } from '../target-plan.ts'
import type { AppliedRows } from './apply-changes.ts'
import { applyChanges, newRowColumns } from './apply-changes.ts'
import { addedByKeys, beginKeeping } from './keep-rows.ts'
import { doneSource, saveOldRows } from './old-rows.ts'
import { describeAfter } from './table-after.ts'

/** Minimum share of written rows for updating the statistics of the table. */
const shareWorthAnalysis = 0.1
/**
 * Maximum number of rounds of checks; each round rejects rows that depend on rejections of the previous one.
 */
const maxRounds = 50

interface UpsertContext {
  context: LoadContext
  connection: Connection
  plan: TargetPlan
  facts: TableFacts
  rules: TableRules
  upsert: UpsertRules
  load: StagedRows
}

/**
 * UPSERT: stages rows in a separate table with the types of the target, joins both by the keys, and writes
 * the rows that differ.
 */
export async function stageUpsert(
  context: LoadContext,
  connection: Connection,
  { plan, facts, rules, upsert }: Pick<UpsertContext, 'plan' | 'facts' | 'rules' | 'upsert'>,
): Promise<FinalSteps> {
  const { hooks, retainedRows, request } = context
  const load = new StagedRows(context, connection, plan, facts)
  const parts: UpsertContext = { context, connection, plan, facts, rules, upsert, load }
  requireKeys({ relation: load.staging, facts, columns: plan.columns }, upsert.keys)
  await refuseUnsafe(
    connection,
    facts,
    { ...rules, cascades: upsert.deletesMissing ? rules.cascades : [] },
    true,
  )
  const sent = await load.stage()
  await resizeColumn(connection)
  const held = { relation: load.staging, facts, columns: plan.columns, identity: plan.identity }
  if (retainedRows === undefined) await rejectRows(parts, held, sent)
  const { rowsSent: rowCount } = sent
  const rows: AppliedRows = {
    ...held,
    rowCount,
    written: plan.columns,
    unique: rules.unique,
    cascades: rules.cascades,
  }
  const old = 'pg_temp.terrane_old'
  let writtenShare = 0
  return {
    connection,
    form: 'beside',
    result: loadResult(sent, plan),
    staged: request.isDryRun ? { ...held, rowCount, isAddition: false, upsert, notTried: [] } : undefined,
    place: async () => {
      const result = await place(parts, rows, sent, old)
      const { added, changed, removed } = result.changes ?? { added: 0, changed: 0, removed: 0 }
      writtenShare = (added + (changed ?? 0) + removed) / Math.max(1, sent.rowsSent)
      return result
    },
    changes: () => readChanges(connection, doneSource(rows, old, upsert.keys), hooks.signal),
    publish: async () => {
      await connection.run('removing the staged rows', `close all; drop table ${load.staging}`)
    },
    finish: async () => {
      if (writtenShare >= shareWorthAnalysis) await analyzeTable(connection, facts, hooks)
    },
  }
}

async function rejectRows(parts: UpsertContext, held: HeldRows, sent: SentRows): Promise<void> {
  const { connection, upsert, load, rules, plan } = parts
  await load.rejectUncastable(sent)
  await load.settle({ fillsMissing: false })
  if (!(await areKeysUnique(connection, load.staging, held.facts, upsert.keys)))
    await load.rejectKeys(upsert.keys, sent)
  await analyzeKeys(connection, load.staging, upsert.keys)
  const checks = [...rules.checks, ...missingChecks(parts.facts, parts.plan, parts.upsert.keys)]
  if (checks.length === 0) return
  const sides = sidesOf(held, plan, upsert)
  for (let round = 0; round < maxRounds; round += 1) {
    let refused = 0
    for (const check of checks) refused += await load.rejectViolators(check, sent, false, sides)
    if (refused === 0) return
  }
}

const byKeys = (keys: readonly string[]): string =>
  keys.map((key) => `present.${quoteIdentifier(key)} = held.${quoteIdentifier(key)}`).join(' and ')

function missingOf(facts: TableFacts, upsert: UpsertRules): Missing {
  return missingRows(upsert, keyTypes(facts, upsert.keys))
}

/** Returns SQL for the rows as they will be, and for the table rows that remain or may remain. */
function sidesOf(
  { relation, facts }: HeldRows,
  { columns }: TargetPlan,
  upsert: UpsertRules,
): { source: string; target: string } {
  const { keys } = upsert
  const missing = missingOf(facts, upsert)
  const areAllRemoved = missing !== 'none' && missing.spared.length === 0
  const target = quoteTable(facts.schema, facts.name)
  return {
    source: `(select held.ctid as terrane_ctid, ${newRowColumns({ facts, written: columns })}
      from ${relation} held left join ${target} present on ${byKeys(keys)})`,
    target: `(select * from ${target} present where ${
      areAllRemoved ? 'false' : `not exists (select from ${relation} held where ${byKeys(keys)})`
    })`,
  }
}

/** Returns checks of columns that new rows need and that the data lack; existing rows retain their values. */
function missingChecks(facts: TableFacts, plan: TargetPlan, keys: readonly string[]): RowCheck[] {
  const target = quoteTable(facts.schema, facts.name)
  const needed = facts.columns
    .filter((column) => column.isNotNull && !column.hasDefault && !column.isGenerated)
    .map(({ name }) => name)
  if (facts.geometry?.isNotNull) needed.push(facts.geometry.name)
  return needed
    .filter((name) => !plan.columns.includes(name))
    .map((field) => ({
      field,
      reason: `A new row needs a value in column "${field}", and the data have no such attribute`,
      violators: (source) => `select staged.terrane_ctid from ${source} staged
        where not exists (select from ${target} present where ${keys
          .map((key) => `present.${quoteIdentifier(key)} = staged.${quoteIdentifier(key)}`)
          .join(' and ')})`,
    }))
}

/** Takes the lock: from here on no other client writes, and the differences found now are written. */
async function place(
  { context, connection, facts, plan, upsert, load }: UpsertContext,
  rows: AppliedRows,
  sent: SentRows,
  old: string,
): Promise<LoadResult> {
  const { hooks, request } = context
  await lockTable(connection, quoteTable(facts.schema, facts.name), 'share row exclusive', hooks.signal)
  await requireSingleKeys(connection, facts, upsert.keys)
  const changes = await findChangesByKeys(connection, rows, upsert.keys, missingOf(facts, upsert))
  await saveOldRows(connection, rows, `create temporary table ${old.replace('pg_temp.', '')} on commit drop`)
  const before = await describeTable(connection.client, facts)
  const keeping = await beginKeeping(connection, facts, { keepAs: request.keepAs, old, table: before, hooks })
  await applyChanges(connection, rows, changes)
  const table = await describeAfter(connection, rows, { before, counts: changes, old })
  const kept = await keeping?.(() => addedByKeys(rows, upsert.keys), table?.featureCount)
  for (const column of plan.matched.filter(({ isNumbered }) => isNumbered)) await load.advanceSequence(column)
  await addIndexes(connection, facts, plan)
  const envelope = table === undefined ? await findExtent(connection, facts) : table.envelope
  return { ...loadResult({ ...sent, envelope }, plan), changes, ...defined({ kept, table }) }
}

/** Throws `Failure` if an upsert has no rules. */
export function requireRules(upsert: UpsertRules | undefined): UpsertRules {
  if (upsert !== undefined) return upsert
  throw invalid('invalid-keys', 'Rows are matched by one column or more: none is named')
}
