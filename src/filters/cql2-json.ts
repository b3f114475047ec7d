import { geometryFromJson } from '../formats/geojson/geometry-from-json.ts'
import type { WrittenJson } from '../formats/geojson/written-json.ts'
import { isObject, parseWritten, plainJson, WrittenNumber } from '../formats/geojson/written-json.ts'
import { GeometryError } from '../geo/wkb.ts'
import type { Expression } from './expression.ts'
import { comparisons, deepestFilter, spatialRelations, temporalRelations } from './expression.ts'
import type { FilterLimits } from './filter-size.ts'
import { defaultFilterLimits, requireFilterSize, tooManyNodes } from './filter-size.ts'
import { filterFunctions } from './functions.ts'
import { intervalEnd, wkbOf } from './literals.ts'
import { arithmeticRefused, invalidFilter, unsupportedFilter } from './refusals.ts'

const operators: readonly string[] = [
  ...['and', 'or', 'not', 'isNull', 'like', 'between', 'in', ...Object.keys(filterFunctions)],
  ...[...comparisons, ...spatialRelations, ...temporalRelations],
]
/** By lower-case name: Annex C has `t_finishedBy`, earlier drafts had other spellings. */
const named = new Map(operators.map((op) => [op.toLowerCase(), op]))
const arithmetic = new Set(['+', '-', '*', '/', '^', '%', 'div'])
const shownLength = 60

/**
 * Parses a filter in CQL2 JSON (OGC 21-065r2, Annex C); throws `invalid-filter`, `unsupported-filter` and
 * `malformed-json`.
 */
export function parseCql2Json(filter: string, limits: FilterLimits = defaultFilterLimits): Expression {
  const written = read(parseWritten(filter, 'The filter'), { parts: 0, limits }, 0)
  requireFilterSize(written, limits)
  return written
}

interface Reader {
  parts: number
  limits: FilterLimits
}

function read(written: WrittenJson | undefined, reader: Reader, depth: number): Expression {
  reader.parts += 1
  if (reader.parts > reader.limits.filterNodes) throw tooManyNodes(reader.limits)
  if (depth > deepestFilter) throw invalidFilter(`The filter is nested deeper than ${deepestFilter} levels`)
  if (typeof written === 'string') return { kind: 'text', value: written }
  if (typeof written === 'boolean') return { kind: 'boolean', value: written }
  if (typeof written === 'number') return { kind: 'number', digits: String(written) }
  if (written instanceof WrittenNumber) return { kind: 'number', digits: written.text }
  if (Array.isArray(written)) return { kind: 'list', of: written.map((one) => read(one, reader, depth + 1)) }
  if (!isObject(written)) throw unknownPart(written ?? null)
  return readObject(written, reader, depth)
}

function readObject(written: Record<string, WrittenJson>, reader: Reader, depth: number): Expression {
  const { op, args, property, date, timestamp, interval, bbox, type } = written
  if (typeof op === 'string') {
    const known = operatorOf(op)
    if (!Array.isArray(args)) throw invalidFilter(`"args" of "${op}" is no list`)
    return { kind: 'call', op: known, args: args.map((one) => read(one, reader, depth + 1)) }
  }
  if (typeof property === 'string') return { kind: 'property', name: property }
  if (typeof date === 'string') return { kind: 'date', text: date }
  if (typeof timestamp === 'string') return { kind: 'timestamp', text: timestamp }
  if (Array.isArray(interval)) return readInterval(interval, reader, depth)
  if (typeof type === 'string') return { kind: 'geometry', wkb: geometryOf(written) }
  if (Array.isArray(bbox)) return { kind: 'box', sides: sidesOf(bbox) }
  throw unknownPart(written)
}

function operatorOf(op: string): string {
  const known = named.get(op.toLowerCase())
  if (known !== undefined) return known
  if (arithmetic.has(op)) throw arithmeticRefused()
  throw unsupportedFilter(
    `The operator or function "${op.slice(0, shownLength)}" is not offered: ${operators.join(', ')} are`,
  )
}

function readInterval(ends: WrittenJson[], reader: Reader, depth: number): Expression {
  const [from, to] = ends.map((end) =>
    typeof end === 'string' ? intervalEnd(end) : read(end, reader, depth + 1),
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
  return invalidFilter(`${shown} in the filter is no part of CQL2 JSON`)
}
