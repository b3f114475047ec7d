import { createHash } from 'node:crypto'
import { invalid } from '../../../core/errors/errors.ts'
import type { FilterComparison } from '../../../filters/expression.ts'
import type { Calculation, Filter, Moment, NumberOperand, TextOperand } from '../../../filters/filter.ts'
import { attributeOfNumber } from '../../../filters/filter.ts'
import { endOfPrefix, likePrefix } from '../../../filters/texts.ts'
import { dayComparison, flipped } from '../../../filters/thresholds.ts'
import { type GeoPackageTable, quoteName } from '../../../formats/geopackage/index.ts'
import { shiftsOfCopies } from '../../../geo/relations/repeated-places.ts'
import type { Attribute } from '../../../geo/schema.ts'
import { wkbEnvelope } from '../../../geo/wkb.ts'
import { rtreeName } from '../rtree-sql.ts'
import type { SqlCondition } from './joined-conditions.ts'
import { joinedConditions } from './joined-conditions.ts'

const lastMicroOfDay = 86_399_999_999n
const microsPerMs = 1000n
const msPerDay = 86_400_000
/** Relations that imply that two geometries have a point in common. */
const meeting = new Set([
  's_intersects',
  's_equals',
  's_touches',
  's_within',
  's_contains',
  's_overlaps',
  's_crosses',
])

/**
 * Converts a filter to a condition on a table; `hasIndex`: an R*Tree finds rows near a geometry. Property
 * names are column names of the table.
 */
export function filterCondition(filter: Filter, table: GeoPackageTable, hasIndex: boolean): SqlCondition {
  const made = new FilterSql(table, hasIndex)
  return { sql: made.condition(filter), bound: made.bound }
}

class FilterSql {
  readonly bound: SqlCondition['bound'] = []
  readonly #table: GeoPackageTable
  readonly #hasIndex: boolean

  constructor(table: GeoPackageTable, hasIndex: boolean) {
    this.#table = table
    this.#hasIndex = hasIndex
  }

  condition(filter: Filter): string {
    switch (filter.kind) {
      case 'all':
      case 'any':
        return joinedConditions(
          filter.of.map((one) => this.condition(one)),
          filter.kind === 'all' ? 'AND' : 'OR',
        )
      case 'not':
        return `(NOT ${this.condition(filter.of)})`
      case 'constant':
        return filter.is ? 'TRUE' : 'FALSE'
      case 'empty':
        return `${filter.attribute === undefined ? this.#geometryName : this.#name(filter.attribute)} IS NULL`
      case 'noResult':
        return `${this.#calculation(filter.of)} IS NULL`
      case 'true':
        return `(${this.#name(filter.attribute)} <> 0)`
      case 'numbers':
        return this.#numbers(filter.op, filter.left, filter.right)
      case 'texts':
        return `${this.#text(filter.left)} ${filter.op} ${this.#text(filter.right)} COLLATE BINARY`
      case 'moments':
        return this.#moments(filter.op, filter.left, filter.right)
      case 'like':
        return this.#likeness(filter)
      case 'relation':
        return this.#relation(filter)
      case 'near':
        return this.#distance(filter)
    }
  }

  #bind(value: SqlCondition['bound'][number]): string {
    this.bound.push(value)
    return '?'
  }

  #attribute(name: string): Attribute {
    const attribute = this.#table.schema.attributes.find((one) => one.name === name)
    if (attribute !== undefined) return attribute
    throw invalid('invalid-filter', `There is no property "${name}" any more`)
  }

  #name(attribute: string): string {
    return quoteName(this.#attribute(attribute).name)
  }

  /** Cells may contain texts and blobs, which SQLite sorts after all numbers. */
  #numbers(op: FilterComparison, left: NumberOperand, right: NumberOperand): string {
    const sides = `${this.#number(left, right)} ${op} ${this.#number(right, left)}`
    const guards = [left, right].flatMap((side) => {
      const attribute = attributeOfNumber(side)
      return attribute === undefined ? [] : [this.#isNumber(attribute)]
    })
    return `(${[sides, ...guards].join(' AND ')})`
  }

  #isNumber(attribute: string): string {
    const others = this.#attribute(attribute).type === 'decimal' ? "'blob'" : "'text', 'blob'"
    return `typeof(${this.#name(attribute)}) NOT IN (${others})`
  }

  #number(side: NumberOperand, beside: NumberOperand): string {
    if ('attribute' in side) {
      const { name, type } = this.#attribute(side.attribute)
      if (type === 'decimal') return `CAST(${quoteName(name)} AS NUMERIC)`
      return type === 'float32' ? `terrane_single(${quoteName(name)})` : quoteName(name)
    }
    if ('lengthOf' in side) return `terrane_length(${this.#text(side.lengthOf)})`
    if ('calculate' in side) return this.#calculation(side)
    const isSingle = 'attribute' in beside && this.#attribute(beside.attribute).type === 'float32'
    return this.#bind(isSingle ? Math.fround(Number(side.digits)) : numberOf(side.digits))
  }

  #calculation({ calculate, of, type }: Calculation): string {
    return `terrane_calculate('${calculate}', '${type}', ${of.map((one) => this.#operand(one, calculate)).join(', ')})`
  }

  /** A decimal that is converted to a double is returned as stored, possibly as text. */
  #operand(side: NumberOperand, operator: Calculation['calculate']): string {
    return operator === 'real' && 'attribute' in side && this.#attribute(side.attribute).type === 'decimal'
      ? this.#name(side.attribute)
      : this.#number(side, side)
  }

  #text(side: TextOperand): string {
    if ('text' in side) return this.#bind(side.text)
    if ('attribute' in side) return this.#name(side.attribute)
    return `terrane_fold(${this.#text(side.of)}, '${side.folded}')`
  }

  /** Texts with the same prefix are adjacent in an index. */
  #likeness({ of, pattern }: Extract<Filter, { kind: 'like' }>): string {
    const prefix = 'attribute' in of && 'text' in pattern ? likePrefix(pattern.text) : undefined
    const near = prefix === undefined || prefix === '' ? '' : this.#begins(of, prefix)
    return `(${near}terrane_like(${this.#text(of)}, ${this.#text(pattern)}))`
  }

  #begins(of: TextOperand, prefix: string): string {
    const text = (): string => `${this.#text(of)} COLLATE BINARY`
    const end = endOfPrefix(prefix)
    const least = `${text()} >= ${this.#bind(prefix)} AND `
    return end === undefined ? least : `${least}${text()} < ${this.#bind(end)} AND `
  }

  #moments(op: FilterComparison, left: Moment, right: Moment): string {
    if ('micros' in left) return 'micros' in right ? 'FALSE' : this.#moments(flipped(op), right, left)
    if (!('micros' in right)) return `${this.#moment(left)} ${op} ${this.#moment(right)}`
    const near = this.#near(op, left, right.micros)
    const exact = this.#exactly(op, left, right.micros)
    return near === undefined ? exact : `(${near} AND ${exact})`
  }

  #exactly(op: FilterComparison, left: Extract<Moment, { attribute: string }>, micros: bigint): string {
    const name = this.#name(left.attribute)
    if (this.#attribute(left.attribute).type !== 'date')
      return `terrane_moment(${name}, 0) ${op} ${this.#bind(micros)}`
    const found = dayComparison(op, left.edge, micros)
    if (typeof found === 'string') return `${name} ${found === 'always' ? '=' : '<>'} ${name}`
    return `terrane_moment(${name}, 1) ${found.op} ${this.#bind(BigInt(found.day) * (lastMicroOfDay + 1n))}`
  }

  /**
   * The text of a time starts with its day, up to the time zone: an index of texts finds nearly all matches.
   */
  #near(
    op: FilterComparison,
    left: Extract<Moment, { attribute: string }>,
    micros: bigint,
  ): string | undefined {
    const name = this.#name(left.attribute)
    const day = (days: number): string =>
      new Date(Number(micros / microsPerMs) + days * msPerDay).toISOString().slice(0, 10)
    if (!isUsualYear(micros)) return undefined
    if (op === '>' || op === '>=') return `${name} >= ${this.#bind(day(-3))}`
    if (op === '<' || op === '<=') return `${name} < ${this.#bind(day(3))}`
    if (op === '<>') return undefined
    return `${name} BETWEEN ${this.#bind(day(-3))} AND ${this.#bind(day(3))}`
  }

  #moment(moment: Moment): string {
    if ('micros' in moment) return this.#bind(moment.micros)
    const isDate = this.#attribute(moment.attribute).type === 'date'
    const begin = `terrane_moment(${this.#name(moment.attribute)}, ${isDate ? 1 : 0})`
    return isDate && moment.edge === 'end' ? `(${begin} + ${lastMicroOfDay})` : begin
  }

  get #geometryName(): string {
    const { geometry } = this.#table.schema
    if (geometry !== undefined) return quoteName(geometry.name)
    throw invalid('invalid-filter', 'The rows have no geometry any more')
  }

  #distance({ wkb, reach: { distance, scale } }: Extract<Filter, { kind: 'near' }>): string {
    const row = this.#geometryName
    const near = this.#nearTo(wkb, { aside: distance / scale[0], above: distance / scale[1] })
    const digest = createHash('sha256').update(wkb).digest('base64')
    const [fixed, far, x, y] = [wkb, distance, ...scale].map((value) => this.#bind(value))
    const within = `terrane_near(${row}, '${digest}', ${fixed}, ${far}, ${x}, ${y})`
    return near === undefined ? within : `(CASE WHEN ${row} IS NULL THEN NULL ELSE ${near} AND ${within} END)`
  }

  #relation({ relation, wkb, isRowFirst, turn }: Extract<Filter, { kind: 'relation' }>): string {
    const row = this.#geometryName
    const near = meeting.has(relation) ? this.#nearTo(wkb, { turn }) : undefined
    const digest = createHash('sha256').update(wkb).digest('base64')
    const name = relation.slice('s_'.length)
    const related = `terrane_related(${row}, '${name}', '${digest}', ${isRowFirst ? 0 : 1}, ${this.#bind(wkb)}, ${turn ?? 'NULL'})`
    return near === undefined
      ? related
      : `(CASE WHEN ${row} IS NULL THEN NULL ELSE ${near} AND ${related} END)`
  }

  /**
   * Returns SQL that tests whether the envelope of the row overlaps that of a geometry, expanded by these
   * distances and repeated after each `turn`.
   */
  #nearTo(
    wkb: Uint8Array,
    { aside = 0, above = 0, turn }: { aside?: number; above?: number; turn?: number | undefined },
  ): string | undefined {
    const { geometry, name } = { geometry: this.#table.schema.geometry?.name, name: this.#table.name }
    const envelope = wkbEnvelope(wkb)
    if (
      !this.#hasIndex ||
      geometry === undefined ||
      envelope === undefined ||
      this.#table.idColumn === undefined
    )
      return undefined
    const [minY, maxY] = [envelope.minY - above, envelope.maxY + above]
    const from = `SELECT id FROM ${quoteName(rtreeName({ table: name, geometry }))}`
    const shifts = turn === undefined ? [0] : shiftsOfCopies(turn, envelope)
    const ids = shifts.map((shift) => {
      const [minX, maxX] = [envelope.minX + shift - aside, envelope.maxX + shift + aside]
      return `${from} WHERE maxx >= ${this.#bind(minX)} AND minx <= ${this.#bind(maxX)} AND maxy >= ${this.#bind(minY)} AND miny <= ${this.#bind(maxY)}`
    })
    return `${quoteName(this.#table.idColumn)} IN (${ids.join(' UNION ')})`
  }
}

/** Returns an integer exactly, any other number as the nearest double. */
function numberOf(digits: string): number | bigint {
  const whole = /^[-+]?\d{1,19}$/.test(digits) ? BigInt(digits.replace(/^\+/, '')) : undefined
  return whole !== undefined && BigInt.asIntN(64, whole) === whole ? whole : Number(digits)
}

const [firstUsual, lastUsual] = [Date.UTC(1900, 0, 1), Date.UTC(9999, 0, 1)].map(
  (ms) => BigInt(ms) * microsPerMs,
)

/** True if texts of times around this moment sort like the times: years of four digits. */
function isUsualYear(micros: bigint): boolean {
  return micros > (firstUsual ?? 0n) && micros < (lastUsual ?? 0n)
}
