import { isSameCrs } from '../../geo/crs-same.ts'
import type { ChangeCounts } from '../../stores/index.ts'

/** Limit on rows: a maximum number, or a maximum share of all. */
interface RowLimit {
  percent?: number
  rows?: number
}

/** A JSON value in a rule. */
export type RuleValue = string | number | boolean | null

/** Allowed values of a column; nulls are always allowed. */
export interface ValueRule {
  in?: RuleValue[]
  min?: number | string
  max?: number | string
}

/** Limits that stop a load before its commit. */
export interface StopRules {
  /** Limit of removed rows, relative to the rows of the target. */
  removed?: RowLimit
  changed?: RowLimit
  /** Limit on nulls in the loaded rows, by column. */
  empty?: Record<string, RowLimit>
  values?: Record<string, ValueRule>
  /**
   * `lost`: stops if a column of the target is missing. `any`: stops if a column is added, missing, or of
   * another type.
   */
  columns?: 'lost' | 'any'
  /** Stops if the CRS of the data differs from that of the layer. */
  crs?: boolean
  /** Stops if a row is outside this box: minx, miny, maxx, maxy in the CRS in which the rows are loaded. */
  outside?: [number, number, number, number]
  /** Minimum number of loaded rows. */
  fewer?: number
}

export const stopRuleNames = [
  'removed',
  'changed',
  'empty',
  'values',
  'columns',
  'crs',
  'outside',
  'fewer',
] as const satisfies readonly (keyof StopRules)[]
type StopRuleName = (typeof stopRuleNames)[number]

/** A rule that stops a load: its limit and the measured value. */
export interface Stopped {
  rule: StopRuleName
  limit: unknown
  measured: unknown
}

/** Measurements of a staged load. */
export interface Measured {
  rowsLoaded: number
  /** Rows of the target before the load. */
  rowsBefore: number
  changes: ChangeCounts
  columns: readonly { name: string; change: 'gained' | 'lost' | 'type' }[]
  /** CRS of the data and of the layer, if both are known. */
  crs: { from?: string; to?: string }
  /** Number of nulls, by column. */
  empty: Readonly<Record<string, number>>
  /** Number of rows with a value that a rule forbids, by column, and the first such value. */
  values: Readonly<Record<string, { rows: number; value: string }>>
  outside: number
}

/** Formats a percentage with enough digits for comparing. */
function percentOf(rows: number, all: number): number {
  return all === 0 ? (rows === 0 ? 0 : 100) : Number(((rows / all) * 100).toPrecision(6))
}

/** Returns the rows and percentage if they exceed a limit, otherwise undefined. */
function beyond(limit: RowLimit, rows: number, all: number): { rows: number; percent: number } | undefined {
  const percent = all === 0 ? (rows === 0 ? 0 : 100) : (rows / all) * 100
  const isBeyond =
    (limit.rows !== undefined && rows > limit.rows) ||
    (limit.percent !== undefined && percent > limit.percent)
  return isBeyond ? { rows, percent: percentOf(rows, all) } : undefined
}

type Finding = Omit<Stopped, 'rule'> | undefined

function entriesBeyond<Limit, Found>(
  limits: Record<string, Limit>,
  check: (limit: Limit, column: string) => Found | undefined,
): Finding {
  const found = Object.entries(limits).flatMap(([column, limit]) => {
    const measured = check(limit, column)
    return measured === undefined ? [] : [{ column, limit, measured }]
  })
  if (found.length === 0) return undefined
  return {
    limit: Object.fromEntries(found.map(({ column, limit }) => [column, limit])),
    measured: Object.fromEntries(found.map(({ column, measured }) => [column, measured])),
  }
}

function ownOf<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Evaluates each rule against the measurements. */
const rules: { [Name in StopRuleName]: (rule: NonNullable<StopRules[Name]>, found: Measured) => Finding } = {
  removed: (limit, { changes, rowsBefore }) => rowsFinding(limit, changes.removed, rowsBefore),
  changed: (limit, { changes, rowsBefore }) => rowsFinding(limit, mostChanged(changes), rowsBefore),
  empty: (limits, { empty, rowsLoaded }) =>
    entriesBeyond(limits, (limit, column) => beyond(limit, ownOf(empty, column) ?? 0, rowsLoaded)),
  values: (limits, { values }) => entriesBeyond(limits, (_limit, column) => ownOf(values, column)),
  columns: (limit, { columns }) => {
    const found = limit === 'any' ? columns : columns.filter(({ change }) => change === 'lost')
    return found.length === 0 ? undefined : { limit, measured: found }
  },
  crs: (limit, { crs }) => {
    if (!limit || crs.from === undefined || crs.to === undefined || isSameCrs(crs.from, crs.to))
      return undefined
    return { limit: crs.from, measured: crs.to }
  },
  outside: (limit, { outside }) => (outside === 0 ? undefined : { limit, measured: { rows: outside } }),
  fewer: (limit, { rowsLoaded }) => (rowsLoaded < limit ? { limit, measured: rowsLoaded } : undefined),
}

/**
 * Without keys a changed row counts as one removed and one added, so this is the largest possible number of
 * changed rows.
 */
function mostChanged({ added, changed, removed }: ChangeCounts): number {
  return changed ?? Math.min(added, removed)
}

function rowsFinding(limit: RowLimit, rows: number, all: number): Finding {
  const measured = beyond(limit, rows, all)
  return measured === undefined ? undefined : { limit, measured }
}

function findingOf<Name extends StopRuleName>(name: Name, stopIf: StopRules, found: Measured): Finding {
  const rule = stopIf[name]
  return rule === undefined ? undefined : rules[name](rule as NonNullable<StopRules[Name]>, found)
}

/** Returns the rules that the measurements exceed. */
export function findStopped(stopIf: StopRules | undefined, found: Measured): Stopped[] {
  if (stopIf === undefined) return []
  return stopRuleNames.flatMap((rule) => {
    const finding = findingOf(rule, stopIf, found)
    return finding === undefined ? [] : [{ rule, ...finding }]
  })
}

/**
 * Returns the limits of a task that apply to corrected rows: those on incoming rows, and those on rows that
 * an UPSERT changes. The others measure a whole source. Undefined if none apply.
 */
export function rulesOfCorrections(
  { stopIf = {}, updateMode }: { stopIf?: StopRules; updateMode: string },
  accepted: readonly string[],
): StopRules | undefined {
  const { empty, values, outside, changed } = stopIf
  const requested = { empty, values, outside, changed: updateMode === 'UPSERT' ? changed : undefined }
  const left = Object.entries(requested).filter(
    ([rule, limit]) => limit !== undefined && !accepted.includes(rule),
  )
  return left.length === 0 ? undefined : (Object.fromEntries(left) as StopRules)
}

/** True if the rules limit changes to the rows of the target. */
export function asksChanges({ removed, changed }: StopRules): boolean {
  return removed !== undefined || changed !== undefined
}
