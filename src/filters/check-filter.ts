import { collectionsNotRelated } from '../geo/relations/relation-failures.ts'
import type { AttributeType, Schema } from '../geo/schema.ts'
import type { ArithmeticOperator } from './calculate.ts'
import { isArithmetic } from './calculate.ts'
import { calculation, comparable } from './calculations.ts'
import type { Expression, FilterComparison, SpatialRelation, TemporalRelation } from './expression.ts'
import { filterComparisons, spatialRelations, temporalRelations, withinDistance } from './expression.ts'
import type { Filter, NumberOperand, TextOperand } from './filter.ts'
import { allOf, anyOf, notOf } from './filter.ts'
import { invalidFilter, unsupportedFilter } from './filter-size.ts'
import type { FilterFunction, ValueType } from './functions.ts'
import { filterFunctions, isFilterFunction } from './functions.ts'
import { isGeometry, writtenGeometry } from './geometry-operand.ts'
import { lengthUnit } from './length-units.ts'
import type { TimeSpan } from './moments.ts'
import { compareSpans, holds, relateSpans, spanOfLiteral, spanOfText } from './moments.ts'

const maxDigits = 400
/** Maximum number of expressions that are also written in another form. */
const maxWhole = 60
/** Limited, since each vertex of a row is compared with each of these. */
const maxNearBytes = 16 * 1024

type Call = Extract<Expression, { kind: 'call' }>

/** An operand by type, and its value. */
type Operand =
  | { type: 'number'; value: NumberOperand }
  | { type: 'text'; value: TextOperand }
  | { type: 'boolean'; value: { attribute: string } | { is: boolean } }
  | { type: 'time'; value: TimeSpan }

/**
 * Resolves an expression for rows with these columns. `geometry` is the geometry of the row unless an
 * attribute has that name. Throws `invalid-filter` for unknown names and for values that cannot be compared,
 * `unsupported-filter` for valid but unsupported expressions.
 */
export function checkFilter(written: Expression, schema: Schema): Filter {
  if (written.kind === 'boolean') return { kind: 'constant', is: written.value }
  if (written.kind === 'property') return isTrue(operandOf(written, schema), written.name)
  if (written.kind !== 'call')
    throw invalidFilter('The filter is a value: it has to be true or false of a row')
  return checkCall(written, schema)
}

function checkCall(call: Call, schema: Schema): Filter {
  const { op, args } = call
  if (op === 'and' || op === 'or') {
    if (args.length === 0) throw invalidFilter(`"${op}" has no arguments`)
    const of = args.map((part) => checkFilter(part, schema))
    return op === 'and' ? allOf(of) : anyOf(of)
  }
  if (op === 'not') return notOf(checkFilter(one(call), schema))
  if (op === 'isNull') return emptiness(one(call), schema)
  if (op === 'like') return likeness(call, schema)
  if (op === 'between') return between(call, schema)
  if (op === 'in') return amongst(call, schema)
  if (isOneOf(filterComparisons, op)) return comparison(op, ...two(call), schema)
  if (isOneOf(spatialRelations, op)) return relation(op, ...two(call), schema)
  if (op === withinDistance) return near(call, schema)
  const temporal = op.toLowerCase()
  if (isOneOf(temporalRelations, temporal)) return temporally(temporal, ...two(call), schema)
  throw invalidFilter(`"${op}" is neither true nor false of a row`)
}

/** A function of a text or a number, or an arithmetic operator. */
function valueOperand(call: Call & { op: FilterFunction | ArithmeticOperator }, schema: Schema): Operand {
  const { op } = call
  if (isArithmetic(op)) return { type: 'number', value: numberOf(op, ['number', 'number'], call, schema) }
  const { args } = filterFunctions[op]
  if (op === 'abs' || op === 'round') return { type: 'number', value: numberOf(op, args, call, schema) }
  const [of] = operandsOf(args, call, schema)
  if (of?.type !== 'text') throw new Error(`${op} takes a text`)
  if (op === 'length') return { type: 'number', value: { lengthOf: of.value } }
  return { type: 'text', value: { folded: foldings[op], of: of.value } }
}

const foldings = { casei: 'case', lower: 'case', upper: 'upper', accenti: 'accents' } as const

function numberOf(
  operator: ArithmeticOperator | 'abs' | 'round',
  types: readonly ValueType[],
  call: Call,
  schema: Schema,
): NumberOperand {
  const of = operandsOf(types, call, schema).flatMap(({ type, value }) => (type === 'number' ? [value] : []))
  return calculation(operator, of, schema)
}

function operandsOf(types: readonly ValueType[], { op, args, at }: Call, schema: Schema): Operand[] {
  const name = `"${op}"${at === undefined ? '' : ` at ${at}`}`
  if (args.length !== types.length)
    throw invalidFilter(
      `${name} takes ${types.length === 1 ? 'one argument' : 'two arguments'}, not ${args.length}`,
    )
  return args.map((written, index) => {
    const operand = operandOf(written, schema)
    if (operand.type === types[index]) return operand
    throw invalidFilter(`Argument ${index + 1} of ${name}, ${shown(written)}, is not of type ${types[index]}`)
  })
}

function isValueCall(call: Call): call is Call & { op: FilterFunction | ArithmeticOperator } {
  return isFilterFunction(call.op) || isArithmetic(call.op)
}

function isOneOf<Name extends string>(names: readonly Name[], text: string): text is Name {
  return (names as readonly string[]).includes(text)
}

function one({ op, args }: Call): Expression {
  const [only] = args
  if (only !== undefined && args.length === 1) return only
  throw invalidFilter(`"${op}" takes one argument, not ${args.length}`)
}

function two({ op, args }: Call): [Expression, Expression] {
  const [left, right] = args
  if (left !== undefined && right !== undefined && args.length === 2) return [left, right]
  throw invalidFilter(`"${op}" takes two arguments, not ${args.length}`)
}

function isTrue({ type, value }: Operand, name: string): Filter {
  if (type !== 'boolean') throw invalidFilter(`"${name}" is not a boolean: compare it with a value`)
  return 'is' in value ? { kind: 'constant', is: value.is } : { kind: 'true', attribute: value.attribute }
}

function emptiness(of: Expression, schema: Schema): Filter {
  if (isGeometry(of, schema)) return { kind: 'empty' }
  if (of.kind === 'property') return { kind: 'empty', attribute: attributeOf(of.name, schema).name }
  if (of.kind === 'call' && isValueCall(of)) {
    const { value } = valueOperand(of, schema)
    if (!isArithmetic(of.op)) return emptiness(one(of), schema)
    return 'calculate' in value ? { kind: 'noResult', of: value } : { kind: 'constant', is: false }
  }
  if (of.kind === 'call' || of.kind === 'interval')
    throw unsupportedFilter('IS NULL is asked of a property or a value, not of a condition or an interval')
  return { kind: 'constant', is: false }
}

function likeness(call: Call, schema: Schema): Filter {
  const [of, pattern] = two(call)
  requirePattern(pattern)
  return { kind: 'like', of: textOf(of, schema, 'LIKE'), pattern: textOf(pattern, schema, 'LIKE') }
}

/** Requires a text, possibly folded: a pattern cannot come from a property. */
function requirePattern(written: Expression): void {
  let plain = written
  while (plain.kind === 'call' && plain.args[0] !== undefined) [plain] = plain.args as [Expression]
  if (plain.kind !== 'text')
    throw invalidFilter(`${shown(written)} is not text that LIKE could take for a pattern`)
  if (/(?<!\\)(\\\\)*\\$/.test(plain.value))
    throw invalidFilter('A pattern of LIKE ends in a backslash, which needs a character behind it')
}

function textOf(written: Expression, schema: Schema, where: string): TextOperand {
  const operand = operandOf(written, schema)
  if (operand.type === 'text') return operand.value
  throw invalidFilter(`${shown(written)} is not text, which ${where} takes`)
}

function between({ args }: Call, schema: Schema): Filter {
  const [value, least, most] = args
  if (value === undefined || least === undefined || most === undefined || args.length !== 3)
    throw invalidFilter('"between" takes a value and two limits')
  return allOf([comparison('>=', value, least, schema), comparison('<=', value, most, schema)])
}

function amongst(call: Call, schema: Schema): Filter {
  const [value, list] = two(call)
  if (list.kind !== 'list' || list.of.length === 0)
    throw invalidFilter('"in" takes a value and a list of values')
  return anyOf(list.of.map((one) => comparison('=', value, one, schema)))
}

function comparison(op: FilterComparison, left: Expression, right: Expression, schema: Schema): Filter {
  const [a, b] = [operandOf(left, schema), operandOf(right, schema)]
  if (a.type === 'time' || b.type === 'time')
    return compareSpans(op, timesOf(a, left, right), timesOf(b, right, left))
  if (a.type === 'number' && b.type === 'number')
    return { kind: 'numbers', op, ...comparable(a.value, b.value, schema) }
  if (a.type === 'text' && b.type === 'text') return { kind: 'texts', op, left: a.value, right: b.value }
  if (a.type === 'boolean' && b.type === 'boolean') return compareBooleans(op, isTrue(a, ''), isTrue(b, ''))
  throw invalidFilter(
    `${shown(left)} is a ${a.type} and ${shown(right)} a ${b.type}: they cannot be compared`,
  )
}

/** False is less than true; with a null on either side the result is unknown. */
function compareBooleans(op: FilterComparison, a: Filter, b: Filter): Filter {
  if (a.kind === 'constant' && b.kind === 'constant')
    return { kind: 'constant', is: holds(op, Number(a.is) - Number(b.is)) }
  if (op === '=') return anyOf([allOf([a, b]), allOf([notOf(a), notOf(b)])])
  if (op === '<>') return anyOf([allOf([a, notOf(b)]), allOf([notOf(a), b])])
  if (op === '<') return allOf([notOf(a), b])
  if (op === '>') return allOf([a, notOf(b)])
  return op === '<=' ? anyOf([notOf(a), b]) : anyOf([a, notOf(b)])
}

/** Returns the time span of a side; a text compared with a date or time is parsed as one. */
function timesOf(operand: Operand, written: Expression, beside: Expression): TimeSpan {
  if (operand.type === 'time') return operand.value
  const span = written.kind === 'text' ? spanOfText(written.value) : undefined
  if (span !== undefined) return span
  throw invalidFilter(`${shown(written)} is not a date or time, which ${shown(beside)} is`)
}

function temporally(op: TemporalRelation, left: Expression, right: Expression, schema: Schema): Filter {
  const spans = [left, right].map((side) => spanOf(side, schema))
  const [a, b] = spans
  if (a === undefined || b === undefined) throw new Error('Two were given')
  return relateSpans(op, a, b)
}

function spanOf(written: Expression, schema: Schema): TimeSpan {
  if (written.kind === 'interval') {
    const from = written.from.kind === 'open' ? undefined : spanOf(written.from, schema).begin
    const to = written.to.kind === 'open' ? undefined : spanOf(written.to, schema).end
    if (
      from !== undefined &&
      to !== undefined &&
      'micros' in from &&
      'micros' in to &&
      from.micros > to.micros
    )
      throw invalidFilter('An interval of the filter ends before it begins')
    return { begin: from, end: to }
  }
  const operand = operandOf(written, schema)
  if (operand.type === 'time') return operand.value
  throw invalidFilter(`${shown(written)} is not a date, time or interval`)
}

function relation(op: SpatialRelation, left: Expression, right: Expression, schema: Schema): Filter {
  const isRowFirst = isGeometry(left, schema)
  if (isRowFirst === isGeometry(right, schema))
    throw invalidFilter(
      `${op.toUpperCase()} takes the geometry, and one that is written as WKT, GeoJSON or BBOX`,
    )
  const wkb = writtenGeometry(isRowFirst ? right : left)
  if (isCollection(wkb) && op !== 's_intersects' && op !== 's_disjoint') throw collectionsNotRelated()
  return { kind: 'relation', relation: op, wkb, isRowFirst }
}

/** Arguments: the geometry, a literal one, a number and the name of a unit. */
function near({ args }: Call, schema: Schema): Filter {
  const [of, written, distance, unit, ...more] = args
  if (of === undefined || written === undefined || !isGeometry(of, schema) || more.length > 0)
    throw invalidFilter('A distance is that between the geometry and one that is written, with a unit')
  const length = distance?.kind === 'number' ? Number(distance.digits) : Number.NaN
  if (!(length >= 0 && Number.isFinite(length)))
    throw invalidFilter('A distance of the filter is not a number from 0')
  const found = unit?.kind === 'text' ? lengthUnit(unit.value) : undefined
  if (found === undefined)
    throw unsupportedFilter(
      'A distance of the filter has no unit that is known: metres, kilometres, feet, yards, statute or nautical miles, degrees',
    )
  const wkb = writtenGeometry(written)
  if (wkb.length > maxNearBytes)
    throw unsupportedFilter('A geometry to which distances are measured has at most 1000 vertices')
  const scale: [number, number] = [1, 1]
  return found === 'degree'
    ? { kind: 'near', wkb, reach: { distance: length, unit: 'degree', scale } }
    : { kind: 'near', wkb, reach: { distance: length * found.metres, unit: 'metre', scale } }
}

/** For little-endian ISO WKB. */
function isCollection(wkb: Uint8Array): boolean {
  return new DataView(wkb.buffer, wkb.byteOffset).getUint32(1, true) % 1000 === 7
}

function operandOf(written: Expression, schema: Schema): Operand {
  if (written.kind === 'number') return { type: 'number', value: { digits: checkedDigits(written.digits) } }
  if (written.kind === 'text') return { type: 'text', value: { text: checkedText(written.value) } }
  if (written.kind === 'boolean') return { type: 'boolean', value: { is: written.value } }
  if (written.kind === 'date' || written.kind === 'timestamp')
    return { type: 'time', value: spanOfLiteral(written) }
  if (written.kind === 'property') return attributeOperand(written.name, schema)
  if (written.kind === 'call' && isValueCall(written)) return valueOperand(written, schema)
  if (written.kind === 'interval')
    throw invalidFilter('An interval is compared by a relation such as T_DURING')
  throw invalidFilter(`${shown(written)} is not a value that can be compared`)
}

function checkedDigits(digits: string): string {
  if (digits.length <= maxDigits && Number.isFinite(Number(digits))) return wholeDigits(digits) ?? digits
  throw invalidFilter(`The number ${digits.slice(0, 40)} is too long, or too large for any property`)
}

/**
 * Returns the digits of an integer that is written with a decimal point or an exponent: it is compared
 * exactly.
 */
function wholeDigits(digits: string): string | undefined {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d{1,3}))?$/.exec(digits) ?? []
  const places = Number(power) - part.length
  const all = `${whole}${part}`
  if (all.length + Math.abs(places) > maxWhole) return undefined
  if (places >= 0) return `${sign}${all}${'0'.repeat(places)}`
  const rest = all.slice(places)
  return /^0*$/.test(rest) && rest.length === -places ? `${sign}${all.slice(0, places) || '0'}` : undefined
}

function checkedText(text: string): string {
  if (!text.includes('\0') && text.isWellFormed()) return text
  throw invalidFilter('A text of the filter has a NUL, or half of a character, which no property holds')
}

function attributeOperand(name: string, schema: Schema): Operand {
  const { type, name: attribute } = attributeOf(name, schema)
  if (type === 'text') return { type: 'text', value: { attribute } }
  if (type === 'boolean') return { type: 'boolean', value: { attribute } }
  if (type === 'date' || type === 'timestamp') {
    const edge = type === 'date' ? 'end' : 'begin'
    return { type: 'time', value: { begin: { attribute, edge: 'begin' }, end: { attribute, edge } } }
  }
  if (type === 'binary' || type === 'time')
    throw unsupportedFilter(
      `"${name}" is ${describedType(type)}: of such a property a filter asks IS NULL alone`,
    )
  return { type: 'number', value: { attribute } }
}

function describedType(type: AttributeType): string {
  return type === 'binary' ? 'binary' : 'a time of day'
}

function attributeOf(name: string, schema: Schema): Schema['attributes'][number] {
  const found = schema.attributes.find((attribute) => attribute.name === name)
  if (found !== undefined) return found
  if (name === 'geometry' || name === schema.geometry?.name)
    throw invalidFilter(`"${name}" is the geometry: it is compared by a relation such as S_INTERSECTS`)
  throw invalidFilter(`There is no property "${name.slice(0, 200)}": see the queryables of the collection`)
}

/** Returns a value as written, for messages. */
function shown(written: Expression): string {
  if (written.kind === 'property') return `"${written.name.slice(0, 200)}"`
  if (written.kind === 'text') return `'${written.value.slice(0, 60)}'`
  if (written.kind === 'number') return written.digits.slice(0, 60)
  if (written.kind === 'boolean') return String(written.value).toUpperCase()
  if (written.kind === 'date' || written.kind === 'timestamp') return written.text.slice(0, 60)
  return written.kind === 'call' ? written.op.toUpperCase() : `A ${written.kind}`
}
