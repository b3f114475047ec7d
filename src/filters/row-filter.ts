import type { FeatureBatch } from '../geo/batch.ts'
import type { Column } from '../geo/column.ts'
import { columnValue, isValid } from '../geo/column.ts'
import { loadRelations, requireRelations } from '../geo/relations/load-relations.ts'
import type { RelationName } from '../geo/relations/relation-test.ts'
import type { Attribute, Schema } from '../geo/schema.ts'
import { attributeIndex } from '../geo/schema.ts'
import type { NumberValue } from './calculate.ts'
import { calculate, valueOfDigits } from './calculate.ts'
import type { OfRow } from './evaluate.ts'
import { compared, compareNumbers, evaluator, matchLike } from './evaluate.ts'
import type { Calculation, Filter, Moment, NumberOperand, Predicate, TextOperand } from './filter.ts'
import { compareTexts, foldFilterText, lengthOfText } from './texts.ts'

type Of<Value> = OfRow<FeatureBatch, Value>

const microsPerDay = 86_400_000_000n

/** Prepares everything that evaluating this filter needs; call before `rowFilter`. */
export async function readyFor(filter: Filter | undefined): Promise<void> {
  if (filter !== undefined && hasRelation(filter)) await loadRelations()
}

/** True if a filter contains a spatial relation. */
export function hasRelation(filter: Filter): boolean {
  if (filter.kind === 'all' || filter.kind === 'any') return filter.of.some(hasRelation)
  return filter.kind === 'not' ? hasRelation(filter.of) : filter.kind === 'relation' || filter.kind === 'near'
}

/**
 * Evaluates a filter row by row, like a database; its attributes are in `schema`, the schema of the batches.
 */
export function rowFilter(filter: Filter, schema: Schema): (batch: FeatureBatch, row: number) => boolean {
  const decide = evaluator(filter, (one: Predicate) => predicate(one, schema))
  return (batch, row) => decide(batch, row) === true
}

function predicate(filter: Predicate, schema: Schema): Of<boolean> {
  switch (filter.kind) {
    case 'empty':
      return emptiness(filter.attribute, schema)
    case 'noResult': {
      const of = result(filter.of, schema)
      return (batch, row) => of(batch, row) === undefined
    }
    case 'true':
      return cellOf(filter.attribute, schema, (value) => value === true)
    case 'numbers':
      return compared(
        filter.op,
        numberOf(filter.left, filter.right, schema),
        numberOf(filter.right, filter.left, schema),
        compareNumbers,
      )
    case 'texts':
      return compared(filter.op, textOf(filter.left, schema), textOf(filter.right, schema), compareTexts)
    case 'moments':
      return compared(
        filter.op,
        momentOf(filter.left, schema),
        momentOf(filter.right, schema),
        compareNumbers,
      )
    case 'like':
      return matchLike(textOf(filter.of, schema), textOf(filter.pattern, schema))
    case 'relation':
      return relation(filter)
    case 'near':
      return nearness(filter)
  }
}

function emptiness(attribute: string | undefined, schema: Schema): Of<boolean> {
  if (attribute === undefined)
    return ({ geometry }, row) => geometry === undefined || !isValid(geometry.validity, row)
  const value = cellOf(attribute, schema, () => true)
  return (batch, row) => value(batch, row) === undefined
}

function cellOf<Value>(
  attribute: string,
  schema: Schema,
  read: (value: unknown) => Value | undefined,
): Of<Value> {
  const index = attributeIndex(schema, attribute)
  return ({ columns }, row) => {
    const column = columns[index] as Column | undefined
    const value = column === undefined ? null : columnValue(column, row)
    return value === null ? undefined : read(value)
  }
}

function numberOf(side: NumberOperand, beside: NumberOperand, schema: Schema): Of<NumberValue> {
  if ('calculate' in side) return result(side, schema)
  if ('lengthOf' in side) {
    const of = textOf(side.lengthOf, schema)
    return (batch, row) => {
      const text = of(batch, row)
      return text === undefined ? undefined : lengthOfText(text)
    }
  }
  if ('attribute' in side)
    return cellOf(side.attribute, schema, (value) =>
      typeof value === 'bigint' || typeof value === 'number' ? value : valueOfDigits(String(value)),
    )
  const isSingle = 'attribute' in beside && attributeOf(beside.attribute, schema)?.type === 'float32'
  const written = isSingle ? Math.fround(Number(side.digits)) : valueOfDigits(side.digits)
  return () => written
}

function result({ calculate: operator, of, type }: Calculation, schema: Schema): Of<NumberValue> {
  const [first, second] = of.map((one) => numberOf(one, one, schema))
  if (first === undefined) throw new Error('A calculation has an operand')
  return (batch, row) => {
    const a = first(batch, row)
    const b = second === undefined ? 0 : second(batch, row)
    return a === undefined || b === undefined ? undefined : calculate(operator, type, a, b)
  }
}

function textOf(side: TextOperand, schema: Schema): Of<string> {
  if ('text' in side) return () => side.text
  if ('attribute' in side) return cellOf(side.attribute, schema, String)
  const of = textOf(side.of, schema)
  return (batch, row) => {
    const text = of(batch, row)
    return text === undefined ? undefined : foldFilterText(text, side.folded)
  }
}

function attributeOf(name: string, schema: Schema): Attribute | undefined {
  return schema.attributes[attributeIndex(schema, name)]
}

function momentOf(side: Moment, schema: Schema): Of<bigint> {
  if ('micros' in side) return () => side.micros
  const isDate = attributeOf(side.attribute, schema)?.type === 'date'
  const more = isDate && side.edge === 'end' ? microsPerDay - 1n : 0n
  return cellOf(side.attribute, schema, (value) =>
    isDate ? BigInt(value as number) * microsPerDay + more : BigInt(value as bigint),
  )
}

function relation({
  relation: name,
  wkb,
  isRowFirst,
  turn,
}: Extract<Predicate, { kind: 'relation' }>): Of<boolean> {
  return ofGeometry(
    new (requireRelations().RelationTest)(name.slice('s_'.length) as RelationName, wkb, !isRowFirst, turn),
  )
}

function nearness({ wkb, reach }: Extract<Predicate, { kind: 'near' }>): Of<boolean> {
  return ofGeometry(new (requireRelations().DistanceTest)(wkb, reach))
}

function ofGeometry(test: { test(bytes: Uint8Array, offset: number): boolean }): Of<boolean> {
  return ({ geometry }, row) => {
    if (geometry === undefined || !isValid(geometry.validity, row)) return undefined
    return test.test(geometry.bytes, geometry.offsets[row] as number)
  }
}
