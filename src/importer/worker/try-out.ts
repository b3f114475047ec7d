import type { FormatMessage } from '../../formats/worker.ts'
import type { Schema } from '../../geo/schema.ts'
import type { ChangeCounts, StagedLoad, TableComparison, TableDescription } from '../../stores/index.ts'
import { writeChanges } from '../../stores/worker.ts'
import type { DryRun, DryRunOptions, Measured } from '../model/load-rules.ts'
import { asksChanges, findStopped } from '../model/load-rules.ts'
import type { FlowHooks } from './load-flow.ts'
import type { LoadPlan, TriedLoad } from './load-plan.ts'
import { compareColumns } from './row-figures.ts'
import type { StagedPlan } from './stage-plan.ts'

/** Maximum number of changes that a dry run lists individually. */
const maxListed = 100_000
/** Maximum for a load that changes no row of its target: its additions are the rows that a preview shows. */
const maxListedAdded = 1_000

/**
 * Measures staged rows: what a commit would do, and which limits it exceeds. On failure discards the rows.
 */
export async function tryOut(
  plan: LoadPlan,
  options: DryRunOptions,
  load: StagedPlan,
  hooks: FlowHooks,
): Promise<DryRun> {
  try {
    tellIdleLimits(options, load.schema, hooks)
    const comparison = await compare(plan, options, load.staged, hooks.signal)
    const limit = onlyAdded(plan, 0) === undefined ? maxListed : maxListedAdded
    const listed =
      comparison === undefined
        ? undefined
        : await list(options, load.schema, load.before, { comparison, limit }, hooks.signal)
    return dryRunOf(plan, options, load, { comparison, listed })
  } catch (error) {
    await load.staged.discard()
    throw error
  }
}

/** Warns about limits on columns that are misspelt or missing, which therefore have no values to check. */
function tellIdleLimits({ stopIf }: DryRunOptions, schema: Schema, { onMessage }: FlowHooks): void {
  const come = schema.attributes.map(({ name }) => name)
  const idle = Object.keys(stopIf?.values ?? {}).filter((name) => !come.includes(name))
  if (idle.length === 0) return
  const names = idle.map((name) => `"${name}"`).join(', ')
  const message = `stopIf.values limits ${names}: the data have no such column, and nothing was held against it`
  onMessage({ level: 'warning', code: 'limit-without-column', message })
}

/** Compares staged rows with the table. A comparison is slow, so a run does it only if a limit needs it. */
async function compare(
  { mode }: LoadPlan,
  { isDryRun, keys, stopIf }: DryRunOptions,
  staged: StagedLoad,
  signal: AbortSignal,
): Promise<TableComparison | undefined> {
  const isRequested = isDryRun || (asksChanges(stopIf ?? {}) && mode !== 'CREATE' && mode !== 'APPEND')
  return isRequested ? staged.compare?.(keys, signal) : undefined
}

/** Lists the first changes individually and returns how many are listed. */
async function list(
  { changesPath }: DryRunOptions,
  schema: Schema,
  before: TableDescription | undefined,
  { comparison, limit }: { comparison: TableComparison; limit: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  if (changesPath === undefined) return undefined
  const { matchedBy: keys } = comparison
  const changes = comparison.changes()
  return writeChanges(changesPath, { table: before?.schema ?? schema, changes, keys, limit }, signal)
}

/** Returns a message if only some of the changes are listed; the counts are always exact. */
function cutMessages(listed: number | undefined, changes: ChangeCounts | undefined): FormatMessage[] {
  if (listed === undefined || changes === undefined) return []
  const { added, changed, removed } = changes
  const all = added + (changed ?? 0) + removed
  if (all <= listed) return []
  return [{ level: 'info', code: 'changes-cut', message: `Of ${all} changes the first ${listed} are listed` }]
}

function dryRunOf(
  plan: LoadPlan,
  options: DryRunOptions,
  load: StagedPlan,
  { comparison, listed }: { comparison?: TableComparison; listed?: number },
): DryRun {
  const { accounting, staged, schema, before, counted = {} } = load
  const { rowsRead: read, rejected } = accounting
  const rows = { read, load: read - rejected, rejected }
  const { matchedBy = [], notTried = [], bounds } = comparison ?? {}
  const changes = countsOf(options, comparison?.counts ?? onlyAdded(plan, rows.load))
  const columns = before === undefined ? [] : compareColumns(before.schema, schema, staged.result.renamed)
  const { figures, polygons } = counted
  const fault = accounting.findFault()
  const crs = schema.geometry?.crs
  return {
    rows,
    changes: changes === undefined ? undefined : { ...changes, matchedBy },
    columns,
    geometry:
      schema.geometry === undefined || figures === undefined
        ? undefined
        : { empty: figures.emptyGeometries, invalid: 0, repaired: 0, ...polygons?.counts },
    crs,
    bounds: bounds ?? (comparison === undefined ? staged.result.envelope : undefined),
    rejects: accounting.rejectGroups,
    stopped: findStopped(options.stopIf, measuredOf(options, load, { rows, changes, columns })).filter(
      ({ rule }) => !options.accepted.includes(rule),
    ),
    notTried,
    messages: [
      ...cutMessages(listed, changes),
      ...[accounting.sparedKeys?.message ?? []].flat(),
      ...(fault === undefined ? [] : [{ level: 'error' as const, code: fault.code, message: fault.message }]),
    ],
    listed,
  }
}

/** Returns the changes of a load that only adds rows. */
function onlyAdded({ mode }: LoadPlan, added: number): ChangeCounts | undefined {
  if (mode !== 'CREATE' && mode !== 'APPEND') return undefined
  return { added, changed: 0, removed: 0, same: 0 }
}

/** Without keys a changed row cannot be distinguished from a removed and an added one. */
function countsOf({ keys }: DryRunOptions, counts: ChangeCounts | undefined): ChangeCounts | undefined {
  return counts === undefined || keys !== undefined ? counts : { ...counts, changed: null }
}

function measuredOf(
  { crs = {} }: DryRunOptions,
  { rowsBefore = 0, counted = {} }: Pick<StagedPlan, 'counted' | 'rowsBefore'>,
  { rows, changes, columns }: Pick<DryRun, 'rows' | 'columns'> & { changes: ChangeCounts | undefined },
): Measured {
  const { figures } = counted
  return {
    rowsLoaded: rows.load,
    rowsBefore,
    changes: changes ?? { added: rows.load, changed: 0, removed: 0, same: 0 },
    columns,
    crs,
    empty: figures?.empty ?? {},
    values: figures?.values ?? {},
    outside: figures?.outside ?? 0,
  }
}

/** Closes all but the staged rows; removes them if the store cannot retain them. */
export async function retainDryRun(load: StagedPlan, dryRun: DryRun): Promise<TriedLoad> {
  const { staged, schema, indexes, accounting, counted } = load
  if (staged.retainRows === undefined) {
    await staged.discard()
    return { trial: dryRun }
  }
  const text = await staged.retainRows()
  const { rowsRead, rejected, sparedKeys } = accounting
  const spared = rejected === 0 ? undefined : sparedKeys?.spared
  const sizeBytes = counted?.figures?.bytes ?? 0
  return { trial: dryRun, laidBy: { text, schema, indexes, rowsRead, sizeBytes, spared } }
}
