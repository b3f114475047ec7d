import { conflict } from '../../core/errors/errors.ts'
import { quoteTable } from '../../core/postgres/quote.ts'
import type { LoadResult, NotRetained, TableSnapshot } from '../store.ts'
import { addIndexes, analyzeTable } from './after-load.ts'
import type { FinalSteps } from './commit.ts'
import { lockTable } from './commit.ts'
import type { TableRules } from './constraints.ts'
import type { ComparedRows } from './held-rows.ts'
import { actsOnRows, countRows, hasPolicies, requireRows } from './row-check.ts'
import type { SentRows } from './send-rows.ts'
import type { Connection } from './session.ts'
import type { LoadContext } from './stage-table.ts'
import { loadResult } from './stage-table.ts'
import { StagedRows } from './staged-rows.ts'
import { findExtent } from './table-extent.ts'
import type { TableFacts } from './table-facts.ts'
import type { TargetPlan } from './target-plan.ts'

/** Retains the state before a load, within its transaction. */
export interface Keeper {
  before(): Promise<TableSnapshot | NotRetained | undefined>
  after(result: LoadResult, kept: TableSnapshot | NotRetained | undefined): Promise<LoadResult>
}

/**
 * REPLACE and APPEND into a table that others depend on or that has constraints of its own. The rows are
 * staged in a separate table, checked against the constraints, and placed by DELETE and INSERT in one
 * transaction. DELETE instead of TRUNCATE: readers can read the old rows meanwhile, and an earlier snapshot
 * still sees all of them.
 */
export async function stageTable(
  context: LoadContext,
  connection: Connection,
  plan: TargetPlan,
  facts: TableFacts,
  rules: TableRules,
  keeper: Keeper,
): Promise<FinalSteps> {
  const { request, hooks } = context
  const load = new StagedRows(context, connection, plan, facts)
  const isReplace = request.mode === 'REPLACE'
  await refuseUnsafe(connection, facts, rules, isReplace)
  const sent = await load.stage()
  const { rowsSent } = sent
  const staged = await settleRows(context, load, sent)
  if (context.retainedRows === undefined) {
    for (const check of rules.checks) await load.rejectViolators(check, sent, isReplace)
  }
  const table = quoteTable(facts.schema, facts.name)
  const place = async (): Promise<LoadResult> => {
    await lockTable(connection, table, 'share row exclusive', hooks.signal)
    const kept = await keeper.before()
    const isCounted = (await actsOnRows(connection, facts)) || (await hasPolicies(connection, facts))
    const before = isCounted && !isReplace ? await countRows(connection, facts) : 0
    await load.insert(isReplace, rules.isReferenced)
    if (isCounted) requireRows(facts.name, (await countRows(connection, facts)) - before, sent.rowsSent)
    await addIndexes(connection, facts, plan)
    await connection.run('removing the staged rows', `drop table ${load.staging}`)
    const result = loadResult({ ...sent, envelope: await findExtent(connection, facts) }, plan)
    return keeper.after(result, kept)
  }
  return {
    connection,
    result: loadResult(sent, plan),
    form: 'beside',
    staged: staged === undefined ? undefined : countedRows(staged, sent, rowsSent),
    place,
    finish: () => analyzeTable(connection, facts, hooks),
  }
}

/** Rejects values that the types of the table do not accept; returns the rows that a dry run compares. */
async function settleRows(
  { request, retainedRows }: Pick<LoadContext, 'request' | 'retainedRows'>,
  load: StagedRows,
  sent: SentRows,
): Promise<Omit<ComparedRows, 'rowCount'> | undefined> {
  if (retainedRows !== undefined) return undefined
  await load.rejectUncastable(sent)
  if (!request.isDryRun) return undefined
  const isAddition = request.mode === 'APPEND'
  return { ...(await load.settle({ fillsMissing: !isAddition })), isAddition }
}

/** The bounds are those of all sent rows, known if none of them was rejected. */
function countedRows(
  staged: Omit<ComparedRows, 'rowCount'>,
  { rowsSent: rowCount, envelope }: SentRows,
  sentAtFirst: number,
): ComparedRows {
  return { ...staged, rowCount, bounds: rowCount === sentAtFirst ? envelope : staged.bounds }
}

/** Throws `Failure` if rows of other tables would be removed too, or if rows of this table are hidden. */
export async function refuseUnsafe(
  connection: Connection,
  facts: TableFacts,
  rules: TableRules,
  isReplace: boolean,
): Promise<void> {
  if (!isReplace) return
  refuseCascades(facts, rules)
  if (await hasPolicies(connection, facts)) {
    throw conflict(
      'row-security',
      `Row security hides rows of "${facts.name}" from this user: it cannot be replaced`,
    )
  }
}

/** Throws `Failure` if rows of other tables would be removed together with those of this table. */
export function refuseCascades(facts: TableFacts, rules: Pick<TableRules, 'cascades'>): void {
  if (rules.cascades.length > 0) {
    throw conflict(
      'table-referenced',
      `Replacing the rows of "${facts.name}" would delete or empty rows of other tables: foreign key ${rules.cascades.join(', ')}`,
    )
  }
}
