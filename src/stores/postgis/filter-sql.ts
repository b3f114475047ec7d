import { invalid } from '../../core/errors/errors.ts'
import { quoteIdentifier } from '../../core/postgres/quote.ts'
import { calculate, realLimit } from '../../filters/calculate.ts'
import type { FilterComparison, SpatialRelation } from '../../filters/expression.ts'
import type { Calculation, Filter, Moment, NumberOperand, TextOperand } from '../../filters/filter.ts'
import { attributeOfNumber } from '../../filters/filter.ts'
import { accentMarks } from '../../filters/texts.ts'
import { dayComparison, flipped } from '../../filters/thresholds.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { frameAround, shiftsOfCopies } from '../../geo/relations/repeated-places.ts'
import { dateText, timestampText } from '../../geo/time-text.ts'
import { wkbEnvelope } from '../../geo/wkb.ts'
import { calculationSql } from './calculation-sql.ts'
import type { ColumnFacts, TableFacts } from './table-facts.ts'

/** Binds a value and returns its placeholder. */
type Bind = (value: unknown) => string

const functions: Record<SpatialRelation, string> = {
  s_intersects: 'ST_Intersects',
  s_disjoint: 'ST_Disjoint',
  s_equals: 'ST_Equals',
  s_touches: 'ST_Touches',
  s_within: 'ST_Within',
  s_contains: 'ST_Contains',
  s_overlaps: 'ST_Overlaps',
  s_crosses: 'ST_Crosses',
}

/**
 * Converts a filter to a condition on a table. Values are bound; property names are column names of the
 * table.
 */
export function filterSql(filter: Filter, facts: TableFacts, bind: Bind): string {
  return new FilterSql(facts, bind).condition(filter)
}

class FilterSql {
  readonly #facts: TableFacts
  readonly #bind: Bind

  constructor(facts: TableFacts, bind: Bind) {
    this.#facts = facts
    this.#bind = bind
  }

  condition(filter: Filter): string {
    switch (filter.kind) {
      case 'all':
      case 'any':
        return `(${filter.of.map((one) => this.condition(one)).join(filter.kind === 'all' ? ' and ' : ' or ')})`
      case 'not':
        return `(not ${this.condition(filter.of)})`
      case 'constant':
        return String(filter.is)
      case 'empty':
        return `${filter.attribute === undefined ? this.#geometryName : this.#name(filter.attribute)} is null`
      case 'noResult':
        return `${this.#calculation(filter.of)} is null`
      case 'true':
        return this.#name(filter.attribute)
      case 'numbers':
        return this.#numbers(filter.op, filter.left, filter.right)
      case 'texts':
        return this.#texts(filter.op, filter.left, filter.right)
      case 'moments':
        return this.#moments(filter.op, filter.left, filter.right)
      case 'like':
        return `${this.#text(filter.of)} like ${this.#text(filter.pattern)}`
      case 'relation':
        return this.#relation(filter)
      case 'near':
        return this.#distance(filter)
    }
  }

  #column(attribute: string): ColumnFacts {
    const column = this.#facts.columns.find(({ name }) => name === attribute)
    if (column !== undefined) return column
    throw invalid('invalid-filter', `There is no property "${attribute}" any more`)
  }

  #name(attribute: string): string {
    return quoteIdentifier(this.#column(attribute).name)
  }

  /**
   * PostgreSQL sorts NaN after all other numbers: here NaN counts as null, so no comparison with it is true.
   */
  #numbers(op: FilterComparison, left: NumberOperand, right: NumberOperand): string {
    const plain = `${this.#number(left, right)} ${op} ${this.#number(right, left)}`
    const holdsNaN = (attribute: string): boolean =>
      ['float32', 'float64', 'decimal'].includes(this.#type(attribute) ?? '')
    const floats = [left, right]
      .map(attributeOfNumber)
      .filter((one) => one !== undefined && holdsNaN(one))
      .map(String)
    if (op === '=' || floats.length === 0) return plain
    return `(${[plain, ...floats.map((one) => `${this.#name(one)} <> 'NaN'`)].join(' and ')})`
  }

  #type(attribute: string): string | undefined {
    return this.#column(attribute).attribute?.type
  }

  #number(side: NumberOperand, beside: NumberOperand): string {
    if ('attribute' in side) return this.#name(side.attribute)
    if ('lengthOf' in side) return `char_length(${this.#text(side.lengthOf)})`
    if ('calculate' in side) return this.#calculation(side)
    const type = 'attribute' in beside ? this.#type(beside.attribute) : undefined
    return `${this.#bind(side.digits)}::${numberType(side.digits, type)}`
  }

  #calculation({ calculate: operator, of, type }: Calculation): string {
    const [first] = of
    if (operator === 'real' && first !== undefined && this.#isAlwaysInRange(first)) return this.#float(first)
    const sql = of.map((one) => (type === 'real' ? this.#float(one) : `${this.#number(one, one)}::numeric`))
    return calculationSql(operator, type, sql)
  }

  /**
   * True if a number cannot be outside the range of `float8`, so that no check is needed: an integer, or a
   * literal in the range.
   */
  #isAlwaysInRange(side: NumberOperand): boolean {
    if ('calculate' in side) return side.type === 'integer'
    if ('digits' in side) return calculate('real', 'real', Number(side.digits)) === Number(side.digits)
    return 'lengthOf' in side || this.#type(side.attribute)?.startsWith('int') === true
  }

  /** PostgreSQL refuses a decimal that is larger, or closer to zero, than any float8. */
  #float(side: NumberOperand): string {
    if ('digits' in side) return `${this.#bind(String(Number(side.digits)))}::float8`
    const sql = this.#number(side, side)
    const isDecimal = 'attribute' in side && this.#type(side.attribute) === 'decimal'
    const inRange = isDecimal ? `round(least(greatest(${sql}, -${realLimit}), ${realLimit}), 320)` : sql
    return `${inRange}::float8`
  }

  #texts(op: FilterComparison, left: TextOperand, right: TextOperand): string {
    const order = op === '=' || op === '<>' ? '' : ' collate "C"'
    return `${this.#text(left)}${order} ${op} ${this.#text(right)}${order}`
  }

  #text(side: TextOperand): string {
    if ('text' in side) return `${this.#bind(side.text)}::text`
    if ('attribute' in side) {
      const name = this.#name(side.attribute)
      return this.#column(side.attribute).attribute === undefined ? `${name}::text` : name
    }
    const of = this.#text(side.of)
    if (side.folded !== 'accents')
      return `${side.folded === 'case' ? 'lower' : 'upper'}((${of}) collate "und-x-icu")`
    return `regexp_replace(normalize((${of})::text, NFD), '${accentMarks}', '', 'g')`
  }

  #moments(op: FilterComparison, left: Moment, right: Moment): string {
    if ('micros' in left) return 'micros' in right ? 'false' : this.#moments(flipped(op), right, left)
    if (!('micros' in right)) return `${this.#moment(left)} ${op} ${this.#moment(right)}`
    const name = this.#name(left.attribute)
    if (this.#type(left.attribute) === 'date') return this.#day(op, left, right.micros)
    const written = this.#bind(timestampText(right.micros).replace(/Z$/, ''))
    return this.#isPlain(left.attribute)
      ? `${name} ${op} ${written}::timestamp`
      : `${name} ${op} (${written}::timestamp at time zone 'UTC')`
  }

  #day(
    op: FilterComparison,
    { attribute, edge }: { attribute: string; edge: 'begin' | 'end' },
    micros: bigint,
  ): string {
    const name = this.#name(attribute)
    const found = dayComparison(op, edge, micros)
    if (typeof found === 'string') return `${name} ${found === 'always' ? '=' : '<>'} ${name}`
    return `${name} ${found.op} ${this.#bind(dateText(found.day))}::date`
  }

  /** Returns the start or end of a temporal column as a timestamp. */
  #moment(moment: Extract<Moment, { attribute: string }>): string {
    const name = this.#name(moment.attribute)
    if (this.#type(moment.attribute) !== 'date')
      return this.#isPlain(moment.attribute) ? `(${name} at time zone 'UTC')` : name
    const begin = `(${name}::timestamp at time zone 'UTC')`
    return moment.edge === 'begin' ? begin : `(${begin} + interval '86399.999999 seconds')`
  }

  /** True if a column stores times without a time zone, which are interpreted as UTC. */
  #isPlain(attribute: string): boolean {
    return (
      this.#column(attribute).sqlType.startsWith('timestamp') &&
      this.#column(attribute).sqlType.includes('without')
    )
  }

  get #geometryName(): string {
    const { geometry } = this.#facts
    if (geometry !== undefined) return quoteIdentifier(geometry.name)
    throw invalid('invalid-filter', 'The rows have no geometry any more')
  }

  get #row(): string {
    return this.#facts.geometry?.isGeography === true ? `${this.#geometryName}::geometry` : this.#geometryName
  }

  #written(wkb: Uint8Array): string {
    return `ST_GeomFromWKB(${this.#bind(Buffer.from(wkb))}::bytea, ${this.#facts.geometry?.srid ?? 0})`
  }

  #distance({ wkb, reach: { distance, scale } }: Extract<Filter, { kind: 'near' }>): string {
    const row = this.#row
    const written = this.#written(wkb)
    const far = `${this.#bind(distance)}::float8`
    if (scale[0] === 1 && scale[1] === 1) return `ST_DWithin(${row}, ${written}, ${far})`
    const [x, y] = scale.map((one) => `${this.#bind(one)}::float8`)
    const near = `${row} && ST_Expand(${written}, ${far} / ${x}, ${far} / ${y})`
    return `(${near} and ST_DWithin(ST_Scale(${row}, ${x}, ${y}), ST_Scale(${written}, ${x}, ${y}), ${far}))`
  }

  #relation({ relation, wkb, isRowFirst, turn }: Extract<Filter, { kind: 'relation' }>): string {
    const envelope = turn === undefined ? undefined : wkbEnvelope(wkb)
    const related = (row: string): string => {
      const sides = isRowFirst ? [row, this.#written(wkb)] : [this.#written(wkb), row]
      return `${functions[relation]}(${sides.join(', ')})`
    }
    if (turn === undefined || envelope === undefined) return related(this.#row)
    const near = this.#overlapsCopies(turn, envelope)
    return `(${near} and ${related(this.#rowAround(turn, envelope))})`
  }

  /** Tests the envelope of the row with the index, which cannot be used for rows that are cut. */
  #overlapsCopies(turn: number, { minX, minY, maxX, maxY }: Envelope): string {
    const number = (value: number): string => `${this.#bind(value)}::float8`
    const boxes = shiftsOfCopies(turn, { minX, minY, maxX, maxY }).map((shift) => {
      const sides = [minX + shift, minY, maxX + shift, maxY].map(number)
      return `${this.#row} && ST_MakeEnvelope(${sides.join(', ')}, ${this.#facts.geometry?.srid ?? 0})`
    })
    return `(${boxes.join(' or ')})`
  }

  /** The geometry of the row, moved and cut to one turn around an envelope if it reaches beyond that turn. */
  #rowAround(turn: number, envelope: Envelope): string {
    const row = this.#row
    const frame = frameAround(turn, envelope)
    const [west, east, distance] = [frame.west, frame.east, turn].map(
      (value) => `${this.#bind(value)}::float8`,
    )
    const flat = `ST_CurveToLine(ST_Force2D(${row}))`
    // ST_WrapX does not join parts that it moves to neighbours without cutting them.
    const moved = `ST_UnaryUnion(ST_WrapX(ST_WrapX(${flat}, ${east}, -${distance}), ${west}, ${distance}))`
    const isBeyond = `(ST_XMin(${row}) < ${west} or ST_XMax(${row}) > ${east})`
    return `case when ${isBeyond} and ST_IsValid(${row}) then ${moved} else ${row} end`
  }
}

/**
 * Returns the type for comparing a literal number, so that an index of the column can be used and nothing is
 * rounded.
 */
function numberType(digits: string, beside: string | undefined): string {
  if (beside === 'float64') return 'float8'
  if (beside === 'float32') return fitsFloat4(Number(digits)) ? 'float4' : 'float8'
  const isWhole = /^[-+]?\d{1,19}$/.test(digits)
  if (beside !== 'decimal' && isWhole && isInt64(digits)) return 'int8'
  return 'numeric'
}

function fitsFloat4(value: number): boolean {
  const rounded = Math.fround(value)
  return Number.isFinite(rounded) && (rounded !== 0 || value === 0)
}

function isInt64(digits: string): boolean {
  const value = BigInt(digits.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value
}
