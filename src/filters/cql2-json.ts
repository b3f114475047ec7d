import {
  geometryFromJson,
  isWrittenObject,
  parseWritten,
  plainJson,
  type WrittenJson,
  WrittenNumber,
} from '../formats/geojson/index.ts'
import { GeometryError } from '../geo/wkb.ts'
import { arithmeticOperators, isArithmetic } from './calculate.ts'
import type { Expression } from './expression.ts'
import { deepestFilter, filterComparisons, spatialRelations, temporalRelations } from './expression.ts'
import type { FilterLimits } from './filter-size.ts'
import {
  defaultFilterLimits,
  invalidFilter,
  refuseArrayFunction,
  requireFilterSize,
  tooDeep,
  tooManyNodes,
  unsupportedFilter,
} from './filter-size.ts'
import { filterFunctions, isFilterFunction } from './functions.ts'
import { intervalEnd, wkbOf } from './geometry-operand.ts'

const operators: readonly string[] = [
  'and',
  'or',
  'not',
  'isNull',
  'like',
  'between',
  'in',
  ...Object.keys(filterFunctions),
  ...filterComparisons,
  ...arithmeticOperators,
  ...spatialRelations,
  ...temporalRelations,
]
/** By lower-case name: Annex C has `t_finishedBy`, earlier drafts had other spellings. */
const named = new Map(operators.map((op) => [op.toLowerCase(), op]))
const shownLength = 60

/**
 * Parses a filter in CQL2 JSON (OGC 21-065r2, Annex C); throws `invalid-filter`, `unsupported-filter` and
 * `malformed-json`.
 */
export function parseCql2Json(filter: string, limits: FilterLimits = defaultFilterLimits): Expression {
  const written = read(parseWritten(filter, 'The filter'), { parts: 0, limits }, '', 0)
  requireFilterSize(written, limits)
  return written
}

interface Reader {
  parts: number
  limits: FilterLimits
}

function read(written: WrittenJson | undefined, reader: Reader, at: string, depth: number): Expression {
  reader.parts += 1
  if (reader.parts > reader.limits.filterNodes) throw tooManyNodes(reader.limits)
  if (depth > deepestFilter) throw tooDeep()
  if (typeof written === 'string') return { kind: 'text', value: written }
  if (typeof written === 'boolean') return { kind: 'boolean', value: written }
  if (typeof written === 'number') return { kind: 'number', digits: String(written) }
  if (written instanceof WrittenNumber) return { kind: 'number', digits: written.text }
  const within = (parts: WrittenJson[], of: string): Expression[] =>
    parts.map((part, index) => read(part, reader, `${of}/${index}`, depth + 1))
  if (Array.isArray(written)) return { kind: 'list', of: within(written, at) }
  if (!isWrittenObject(written)) throw unknownPart(written ?? null)
  const { op, args } = written
  if (typeof op !== 'string') return readObject(written, reader, at, depth)
  const known = operatorOf(op, at)
  if (!Array.isArray(args)) throw invalidFilter(`"args" of "${op}" is not a list`)
  const call: Expression = { kind: 'call', op: known, args: within(args, `${at}/args`) }
  return isArithmetic(known) || isFilterFunction(known) ? { ...call, at: `"${at}"` } : call
}

function readObject(
  written: Record<string, WrittenJson>,
  reader: Reader,
  at: string,
  depth: number,
): Expression {
  const { property, date, timestamp, interval, bbox, type } = written
  if (typeof property === 'string') return { kind: 'property', name: property }
  if (typeof date === 'string') return { kind: 'date', text: date }
  if (typeof timestamp === 'string') return { kind: 'timestamp', text: timestamp }
  if (Array.isArray(interval)) return readInterval(interval, reader, at, depth)
  if (typeof type === 'string') return { kind: 'geometry', wkb: geometryOf(written) }
  if (Array.isArray(bbox)) return { kind: 'box', sides: sidesOf(bbox) }
  throw unknownPart(written)
}

function operatorOf(op: string, at: string): string {
  const known = named.get(op.toLowerCase())
  if (known !== undefined) return known
  refuseArrayFunction(op)
  throw unsupportedFilter(
    `The operator or function "${op.slice(0, shownLength)}" is not offered: ${operators.join(', ')} are (at "${at}")`,
  )
}

function readInterval(ends: WrittenJson[], reader: Reader, at: string, depth: number): Expression {
  const [from, to] = ends.map((end) =>
    typeof end === 'string' ? intervalEnd(end) : read(end, reader, `${at}/interval`, depth + 1),
  )
  if (from === undefined || to === undefined || ends.length !== 2)
    throw invalidFilter('"interval" takes two ends, ".." for none')
  return { kind: 'interval', from, to }
}

function sidesOf(written: WrittenJson[]): number[] {
  const sides = plainJson(written) as unknown[]
  if ((sides.length === 4 || sides.length === 6) && sides.every(Number.isFinite)) return sides as number[]
  throw invalidFilter('"bbox" takes four or six numbers')
}

function geometryOf(written: Record<string, WrittenJson>): Uint8Array {
  try {
    return wkbOf(geometryFromJson(JSON.stringify(plainJson(written))))
  } catch (error) {
    if (error instanceof GeometryError)
      throw invalidFilter(`A geometry of the filter cannot be read: ${error.message}`)
    throw error
  }
}

function unknownPart(written: WrittenJson): Error {
  const shown = JSON.stringify(plainJson(written)).slice(0, shownLength)
  return invalidFilter(`${shown} in the filter is not CQL2 JSON`)
}
