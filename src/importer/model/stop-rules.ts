import { isSameCrs } from '../../geo/crs-same.ts'
import { defined } from '../../lib/defined.ts'
import type { ChangeCounts } from '../../stores/changes.ts'

/** Rows that are too many: more than so many, or more than a share of all. */
interface RowLimit {
  percent?: number
  rows?: number
}

/** A value that a rule names, as JSON has it. */
export type RuleValue = string | number | boolean | null

/** Which values a column may hold; nulls may always stand there. */
export interface ValueRule {
  in?: RuleValue[]
  min?: number | string
  max?: number | string
}

/** What stops a load before its commit. */
export interface StopRules {
  /** Of the rows that the target has. */
  removed?: RowLimit
  changed?: RowLimit
  /** Rows without a value, by column; of the rows that are loaded. */
  empty?: Record<string, RowLimit>
  values?: Record<string, ValueRule>
  /** `lost`: a column of the target does not come. `any`: one comes, goes, or has another type. */
  columns?: 'lost' | 'any'
  /** The data have another CRS than the layer. */
  crs?: boolean
  /** Rows that do not lie within: minx, miny, maxx, maxy in the CRS that they are loaded in. */
  outside?: [number, number, number, number]
  /** Rows that are loaded at least. */
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

/** A rule that stops a load: what it allows, and what was found. */
export interface Stopped {
  rule: StopRuleName
  limit: unknown
  measured: unknown
}

/** What was measured of a staged load. */
export interface Measured {
  rowsLoaded: number
  /** Of the target, before. */
  rowsBefore: number
  changes: ChangeCounts
  columns: readonly { name: string; change: 'gained' | 'lost' | 'type' }[]
  /** CRS of the data and of the layer, where both are known. */
  crs: { from?: string; to?: string }
  /** Rows without a value, by column. */
  empty: Readonly<Record<string, number>>
  /** Rows with a value that a rule does not allow, by column, and the first such value. */
  values: Readonly<Record<string, { rows: number; value: string }>>
  outside: number
}

/** Percent of rows, with so many digits that a person can compare them. */
function percentOf(rows: number, all: number): number {
  return all === 0 ? (rows === 0 ? 0 : 100) : Number(((rows / all) * 100).toPrecision(6))
}

/** What is beyond a limit; undefined where nothing is. */
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
  look: (limit: Limit, column: string) => Found | undefined,
): Finding {
  const found = Object.entries(limits).flatMap(([column, limit]) => {
    const measured = look(limit, column)
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

/** One rule after the other: what it says of what was measured. */
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

/** Without keys a changed row is one that goes and one that comes: nobody can tell that so many were not changed. */
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

/** The rules that what was measured breaks. */
export function findStopped(stopIf: StopRules | undefined, found: Measured): Stopped[] {
  if (stopIf === undefined) return []
  return stopRuleNames.flatMap((rule) => {
    const finding = findingOf(rule, stopIf, found)
    return finding === undefined ? [] : [{ rule, ...finding }]
  })
}

/**
 * Which limits of a task are asked of mended rows: those of the rows that come in, and of those that an UPSERT changes. The
 * others measure a whole source. Undefined where none are.
 */
export function rulesOfMended(
  { stopIf = {}, updateMode }: { stopIf?: StopRules; updateMode: string },
  accepted: readonly string[],
): StopRules | undefined {
  const { empty, values, outside, changed } = stopIf
  const asked = defined({ empty, values, outside, changed: updateMode === 'UPSERT' ? changed : undefined })
  const left = Object.entries(asked).filter(([rule]) => !accepted.includes(rule))
  return left.length === 0 ? undefined : (Object.fromEntries(left) as StopRules)
}

/** Whether rules ask what becomes of the rows of the target. */
export function asksChanges({ removed, changed }: StopRules): boolean {
  return removed !== undefined || changed !== undefined
}
