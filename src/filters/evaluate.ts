import type { NumberValue } from './calculate.ts'
import type { FilterComparison } from './expression.ts'
import type { Constant, Junction, Logic, Negation } from './filter.ts'
import { holds } from './moments.ts'
import { LikePattern } from './texts.ts'

/** Value of a row of a source, such as a batch; undefined for null. */
export type OfRow<Source, Value> = (source: Source, row: number) => Value | undefined

/**
 * Returns the function that evaluates a filter in three-valued logic, as SQL does: undefined if the result is
 * unknown. `predicate` returns the function that evaluates one predicate.
 */
export function evaluator<Source, Leaf extends { kind: string }>(
  filter: Logic<Leaf>,
  predicate: (leaf: Leaf) => OfRow<Source, boolean>,
): OfRow<Source, boolean> {
  switch (filter.kind) {
    case 'all':
    case 'any': {
      const { kind, of } = filter as Junction<Leaf>
      return joined(
        of.map((one) => evaluator(one, predicate)),
        kind === 'any',
      )
    }
    case 'not':
      return negated(evaluator((filter as Negation<Leaf>).of, predicate))
    case 'constant': {
      const { is } = filter as Constant
      return () => is
    }
    default:
      return predicate(filter as Leaf)
  }
}

/** Joins with OR, or AND: an unknown part makes the result unknown unless another part decides. */
function joined<Source>(parts: OfRow<Source, boolean>[], deciding: boolean): OfRow<Source, boolean> {
  return (source, row) => {
    let isOpen = false
    for (const part of parts) {
      const found = part(source, row)
      if (found === deciding) return deciding
      if (found === undefined) isOpen = true
    }
    return isOpen ? undefined : !deciding
  }
}

function negated<Source>(inner: OfRow<Source, boolean>): OfRow<Source, boolean> {
  return (source, row) => {
    const found = inner(source, row)
    return found === undefined ? undefined : !found
  }
}

/** Compares two values; with null on either side the result is unknown. `order` may be NaN: only `<>` holds. */
export function compared<Source, Value>(
  op: FilterComparison,
  left: OfRow<Source, Value>,
  right: OfRow<Source, Value>,
  order: (a: Value, b: Value) => number,
): OfRow<Source, boolean> {
  return (source, row) => {
    const [a, b] = [left(source, row), right(source, row)]
    return a === undefined || b === undefined ? undefined : holds(op, order(a, b))
  }
}

/** Returns the order of two numbers: negative if the first is less, NaN if one is NaN. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  return a < b ? -1 : a > b ? 1 : a <= b && a >= b ? 0 : Number.NaN
}

/** Matches a text with a LIKE pattern. */
export function matchLike<Source>(
  of: OfRow<Source, string>,
  written: OfRow<Source, string>,
): OfRow<Source, boolean> {
  let last: string | undefined
  let pattern = new LikePattern('')
  return (source, row) => {
    const [text, requested] = [of(source, row), written(source, row)]
    if (text === undefined || requested === undefined) return undefined
    if (requested !== last) pattern = new LikePattern(requested)
    last = requested
    return pattern.matches(text)
  }
}
