import type { Expression } from '../../filters/expression.ts'
import { patternPieces } from '../../filters/texts.ts'
import type { ConditionOf, StyleComparison } from '../condition.ts'
import { findCondition, getCondition } from '../condition.ts'
import type { Losses } from '../losses.ts'
import type { Literal } from '../model.ts'
import type { AttributeTypes } from './write-values.ts'
import { getAttribute, literalFor } from './write-values.ts'

const dimensions = ['Point', 'LineString', 'Polygon']

/**
 * Writes a condition as a filter expression; undefined, with a recorded loss, for what MapLibre cannot
 * express.
 */
export function writeMapLibreFilter(condition: Expression, types: AttributeTypes, losses: Losses): unknown {
  return new FilterWriter(types, losses).write(condition, false)
}

class FilterWriter {
  readonly #types: AttributeTypes
  readonly #losses: Losses

  constructor(types: AttributeTypes, losses: Losses) {
    this.#types = types
    this.#losses = losses
  }

  /**
   * `isInner`: a failing comparison would also fail the others, which a check of the attribute's type
   * prevents.
   */
  write(expression: Expression, isInner: boolean): unknown {
    const condition = getCondition(expression)
    switch (condition.op) {
      case 'all':
      case 'any':
        return this.#group(condition, isInner)
      case 'not': {
        const inner = this.write(condition.condition, true)
        return inner === undefined ? undefined : ['!', inner]
      }
      case 'null':
        return ['==', ['get', condition.property], null]
      case 'dimension':
        return ['==', ['geometry-type'], dimensions[condition.value]]
      case 'ids':
        return ['in', ['id'], ['literal', condition.ids.map(idOf)]]
      case 'box':
        return this.#losses.add('a filter by a box')
      case 'like':
        return this.#like(condition)
      default:
        return this.#comparison(condition, isInner)
    }
  }

  /**
   * Writes the conditions of `all` that can be expressed. An `any` is omitted if one of its conditions
   * cannot.
   */
  #group(condition: ConditionOf<'all' | 'any'>, isInner: boolean): unknown {
    const { op, conditions } = condition
    const different = otherThan(condition)
    if (different !== undefined) return this.#different(different)
    if (conditions.length === 0) return ['literal', op === 'all']
    const isGuarded = isInner || op === 'any'
    const parts = conditions.map((one) => this.write(one, isGuarded))
    const known = parts.filter((one) => one !== undefined)
    if (known.length === 0 || (op === 'any' && known.length < parts.length)) return undefined
    return [op, ...known]
  }

  #different({ property, value }: { property: string; value: Literal }): unknown {
    return ['!=', getAttribute(property, this.#types), literalFor(property, value, this.#types)]
  }

  #comparison({ op: sign, property, value, ignoresCase }: StyleComparison, isInner: boolean): unknown {
    const op = sign === '=' ? '==' : sign === '<>' ? '!=' : sign
    const input = getAttribute(property, this.#types)
    if (typeof value === 'object') return [op, input, getAttribute(value.property, this.#types)]
    if (ignoresCase) return [op, lowerCase(property), String(value).toLowerCase()]
    const literal = literalFor(property, value, this.#types)
    if (op === '!=') return ['all', ['!=', ['get', property], null], ['!=', input, literal]]
    const compared = [op, input, literal]
    if (op === '==') return compared
    const isChanged = input[0] !== 'get'
    if (isChanged) return ['all', ['!=', ['get', property], null], compared]
    return isInner ? ['all', ['==', ['typeof', input], typeof literal], compared] : compared
  }

  #like({ property, pattern, ignoresCase }: ConditionOf<'like'>): unknown {
    const pieces = patternPieces(pattern)
    const input = ignoresCase ? lowerCase(property) : ['to-string', ['get', property]]
    const inner = pieces.map((piece) => ('text' in piece ? piece.text : piece.wild))
    const starts = inner[0] !== 'many'
    const ends = inner.at(-1) !== 'many'
    const plain = inner.slice(starts ? 0 : 1, ends || inner.length < 2 ? undefined : -1)
    const hasWild = pieces
      .slice(starts ? 0 : 1, ends || inner.length < 2 ? undefined : -1)
      .some((one) => 'wild' in one)
    if (hasWild) return this.#losses.add('a filter by a pattern with signs inside')
    const text = ignoresCase ? plain.join('').toLowerCase() : plain.join('')
    if (starts && ends) return ['==', input, text]
    if (starts) return ['==', ['slice', input, 0, text.length], text]
    return ends ? ['==', ['slice', input, -text.length], text] : ['in', text, input]
  }
}

/** Matches MapLibre's `!=`: another value, or null. */
function otherThan({ op, conditions }: ConditionOf<'all' | 'any'>) {
  if (op !== 'any' || conditions.length !== 2) return undefined
  const [isNull, isOther] = conditions.map(findCondition)
  if (isNull?.op !== 'null' || isOther?.op !== '<>') return undefined
  const { property, value, ignoresCase } = isOther
  if (property !== isNull.property || typeof value === 'object' || ignoresCase) return undefined
  return { property, value }
}

function lowerCase(property: string): unknown[] {
  return ['downcase', ['to-string', ['get', property]]]
}

/** Integer ids are numbers in tiles. */
function idOf(id: string): string | number {
  return /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id
}
