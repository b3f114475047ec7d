import type { XmlElement } from '../../core/text/xml-tree.ts'
import { textNode } from '../../core/text/xml-tree.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { AttributeType } from '../../geo/schema.ts'
import type { ArithmeticOperator } from '../calculate.ts'
import type { Expression, FilterComparison, TemporalRelation } from '../expression.ts'
import { call, withinDistance } from '../expression.ts'
import { invalidFilter, unsupportedFilter } from '../filter-size.ts'
import type { FilterFunction, ValueType } from '../functions.ts'
import { filterFunctions, isFilterFunction } from '../functions.ts'
import { escapePattern } from '../texts.ts'
import { isGml } from './gml-literals.ts'
import { readGmlTime } from './gml-times.ts'

const comparisons: Record<string, FilterComparison> = {
  PropertyIsEqualTo: '=',
  PropertyIsNotEqualTo: '<>',
  PropertyIsLessThan: '<',
  PropertyIsGreaterThan: '>',
  PropertyIsLessThanOrEqualTo: '<=',
  PropertyIsGreaterThanOrEqualTo: '>=',
}
const relations: Record<string, string> = {
  BBOX: 's_intersects',
  Intersects: 's_intersects',
  Disjoint: 's_disjoint',
  Equals: 's_equals',
  Touches: 's_touches',
  Within: 's_within',
  Contains: 's_contains',
  Overlaps: 's_overlaps',
  Crosses: 's_crosses',
}
/** Operators of time (OGC 09-026r2, section 7.9) by the names that CQL2 has for them. */
const times: Record<string, TemporalRelation> = {
  After: 't_after',
  Before: 't_before',
  During: 't_during',
  TEquals: 't_equals',
  TContains: 't_contains',
  Begins: 't_starts',
  BegunBy: 't_startedby',
  Ends: 't_finishes',
  EndedBy: 't_finishedby',
  TOverlaps: 't_overlaps',
  OverlappedBy: 't_overlappedby',
  Meets: 't_meets',
  MetBy: 't_metby',
  AnyInteracts: 't_intersects',
}
/** Arithmetic operators of Filter Encoding 1.1 (OGC 04-095, section 13), which are taken in 2.0 too. */
const arithmetic: Record<string, ArithmeticOperator> = { Add: '+', Sub: '-', Mul: '*', Div: '/' }
const groups: Record<string, string> = { And: 'and', Or: 'or' }
const references = ['ValueReference', 'PropertyName']

const idAttributes: Record<string, string> = { ResourceId: 'rid', FeatureId: 'fid', GmlObjectId: 'id' }

/** Signs of a pattern where `PropertyIsLike` names none, which Filter Encoding does not allow. */
interface PatternSigns {
  wildCard: string
  singleChar: string
  escapeChar: string
}

/**
 * Reads operators of Filter Encoding 1.0, 1.1 and 2.0 (OGC 02-059, 04-095, 09-026r2). Sub-classes say what
 * names, literals and geometries mean. Throws `invalid-filter` and `unsupported-filter`.
 */
export abstract class FesReader {
  protected readonly signs: PatternSigns = { wildCard: '*', singleChar: '?', escapeChar: '\\' }

  /** Returns the attribute or geometry that a name refers to. */
  protected abstract property(text: string): Expression

  /** Returns the geometry that a spatial operator is about; `text` is empty if it names none. */
  protected abstract geometryProperty(text: string): Expression

  /** Reads a geometry of GML that is written in an operator. */
  protected abstract geometry(element: XmlElement, operator: string): Expression

  /** Returns the type of a named attribute; undefined if it is not known. */
  protected typeOfProperty(_text: string): AttributeType | undefined {
    return undefined
  }

  /** True for a name for which no feature has a value. */
  protected isAlwaysNull(_text: string): boolean {
    return false
  }

  /** True if `matchCase` applies to a comparison of values of this type. */
  protected hasCase(type: AttributeType | undefined): boolean {
    return type === 'text'
  }

  /** Returns a literal beside values of a type; `op`: the comparison of which it is a side. */
  protected literal(text: string, type: AttributeType | undefined, _op?: FilterComparison): Expression {
    const trimmed = text.trim()
    if (type === 'boolean' && /^(?:true|false|0|1)$/i.test(trimmed))
      return { kind: 'boolean', value: /^(?:true|1)$/i.test(trimmed) }
    const isNumber = type !== undefined && /^(?:int|float|decimal)/.test(type)
    if (isNumber && numbers.test(trimmed)) return { kind: 'number', digits: trimmed }
    return { kind: 'text', value: type === 'text' ? text : trimmed }
  }

  /** Returns the text of a pattern. */
  protected pattern(text: string): string {
    return text
  }

  /** Reads a function (OGC 09-026r2, section 7.6.3). */
  protected functionCall(element: XmlElement): Expression {
    const name = functionName(element)
    const [type] = filterFunctions[name].args
    return call(name, ...partsOf(element).map((one) => this.#operand(one, literalType(type))))
  }

  /** Returns the type that literals beside these values have. */
  protected typeOf(elements: readonly XmlElement[]): AttributeType | undefined {
    const typed = elements.find(({ name }) => name !== 'Literal')
    if (typed === undefined) return undefined
    if (ownValue(arithmetic, typed.name) !== undefined) return 'float64'
    if (typed.name === 'Function') return literalType(filterFunctions[functionName(typed)].returns)
    return this.typeOfProperty(typed.text.trim())
  }

  /** Reads an operator: a condition. */
  read(element: XmlElement): Expression {
    const { name } = element
    const group = ownValue(groups, name)
    if (group !== undefined) {
      const parts = partsOf(element)
      if (parts.length === 0) throw invalidFilter(`"${name}" has nothing in it`)
      return call(group, ...parts.map((one) => this.read(one)))
    }
    if (name === 'Not') return call('not', this.read(onlyPart(element)))
    const comparison = ownValue(comparisons, name)
    if (comparison !== undefined) return this.#comparison(comparison, element)
    const relation = ownValue(relations, name)
    if (relation !== undefined) return this.#relation(relation, element)
    if (name === 'DWithin') return this.#within(element)
    if (name === 'Beyond') return call('not', this.#within(element))
    const time = ownValue(times, name)
    if (time !== undefined) return this.#time(time, element)
    if (name === 'PropertyIsNull' || name === 'PropertyIsNil') return this.#isNull(onlyPart(element))
    if (name === 'PropertyIsBetween') return this.#between(element)
    if (name === 'PropertyIsLike') return this.#like(element)
    throw unsupportedFilter(`The operator "${name.slice(0, 100)}" of Filter Encoding is not offered`)
  }

  #isNull(operand: XmlElement): Expression {
    const text = operand.text.trim()
    if (references.includes(operand.name) && this.isAlwaysNull(text)) return { kind: 'boolean', value: true }
    return call('isNull', this.#operand(operand, undefined))
  }

  #operand(element: XmlElement, type: AttributeType | undefined, op?: FilterComparison): Expression {
    const { name, text } = element
    if (references.includes(name)) return this.property(text.trim())
    const operator = ownValue(arithmetic, name)
    if (operator !== undefined)
      return call(operator, ...partsOf(element).map((one) => this.#operand(one, 'float64')))
    if (name === 'Function') return this.functionCall(element)
    if (name !== 'Literal')
      throw unsupportedFilter(`"${name.slice(0, 100)}" is not supported as a value in filters`)
    if (partsOf(element).length > 0) throw invalidFilter('A Literal has elements where a value is wanted')
    return this.literal(text, type, op)
  }

  #comparison(op: FilterComparison, element: XmlElement): Expression {
    const [left, right, more] = partsOf(element)
    if (left === undefined || right === undefined || more !== undefined)
      throw invalidFilter(`"${element.name}" takes two values`)
    const type = this.typeOf([left, right])
    const sides = [this.#operand(left, type, op), this.#operand(right, type, op)]
    return call(op, ...(ignoresCase(element) && this.hasCase(type) ? folded(sides) : sides))
  }

  #time(op: TemporalRelation, element: XmlElement): Expression {
    const [left, right, more] = partsOf(element)
    if (left === undefined || right === undefined || more !== undefined)
      throw invalidFilter(`"${element.name}" takes two times`)
    return call(op, this.#moment(left), this.#moment(right))
  }

  /** Reads a property, a GML time or period, or a text with a time. */
  #moment(element: XmlElement): Expression {
    return references.includes(element.name) ? this.#operand(element, undefined) : readGmlTime(element)
  }

  #between(element: XmlElement): Expression {
    const [value, lower, upper] = partsOf(element)
    if (value === undefined || lower === undefined || upper === undefined)
      throw invalidFilter('"PropertyIsBetween" takes a value and two boundaries')
    const type = this.typeOf([value])
    const least = this.#operand(onlyPart(lower), type, '>=')
    const most = this.#operand(onlyPart(upper), type, '<=')
    return call('between', this.#operand(value, type), least, most)
  }

  #like(element: XmlElement): Expression {
    const { attributes } = element
    const [value, pattern] = partsOf(element)
    if (value === undefined || pattern === undefined || pattern.name !== 'Literal')
      throw invalidFilter('"PropertyIsLike" takes a property and a pattern')
    const text = toPattern(this.pattern(pattern.text), {
      wildCard: attributes['wildCard'] ?? this.signs.wildCard,
      singleChar: attributes['singleChar'] ?? this.signs.singleChar,
      escapeChar: attributes['escapeChar'] ?? attributes['escape'] ?? this.signs.escapeChar,
    })
    const sides: Expression[] = [this.#operand(value, 'text'), { kind: 'text', value: text }]
    return call('like', ...(ignoresCase(element) ? folded(sides) : sides))
  }

  #relation(op: string, element: XmlElement): Expression {
    const parts = partsOf(element)
    if (parts.some(({ name }) => /^(?:MultiGeometry|MultiSolid|Solid|Tin)$/.test(name)))
      throw unsupportedFilter(
        'Geometries of a filter are points, lines and areas, or several of one of these',
      )
    const geometry = parts.find(isGml)
    if (geometry === undefined) throw invalidFilter(`"${element.name}" has no geometry of GML`)
    const written = this.geometry(geometry, element.name)
    const named = parts.find(({ name }) => references.includes(name))?.text.trim() ?? ''
    const sides = [this.geometryProperty(named), written]
    return call(op, ...(parts.indexOf(geometry) === 0 && parts.length > 1 ? sides.reverse() : sides))
  }

  /** Within a distance (OGC 09-026r2, section 7.8.3.3). */
  #within(element: XmlElement): Expression {
    const distance = element.children.find(({ name }) => name === 'Distance')
    if (distance === undefined) throw invalidFilter(`"${element.name}" has no Distance`)
    const { uom, units = '' } = distance.attributes
    const digits = distance.text.trim()
    if (!numbers.test(digits)) throw invalidFilter(`The Distance of "${element.name}" is not a number`)
    const others = element.children.filter((one) => one !== distance)
    const related = this.#relation(withinDistance, { ...element, children: others })
    const sides = related.kind === 'call' ? related.args : []
    const [written, property] = [true, false].map((is) =>
      sides.find(({ kind }) => (kind === 'geometry') === is),
    )
    if (written === undefined || property === undefined) throw new Error('A relation has two sides')
    return call(
      withinDistance,
      property,
      written,
      { kind: 'number', digits },
      { kind: 'text', value: uom ?? units },
    )
  }
}

const numbers = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/

/** The function that an element calls, by its name in any case and without a prefix. */
function functionName({ attributes }: XmlElement): FilterFunction {
  const written = attributes['name'] ?? ''
  const name = written.slice(written.lastIndexOf(':') + 1).toLowerCase()
  if (isFilterFunction(name)) return name
  throw unsupportedFilter(
    `The function "${written.slice(0, 100)}" is not offered: ${Object.keys(filterFunctions).join(', ')} are`,
  )
}

/** The elements in an element, without the texts between them, which some documents keep. */
function partsOf({ children }: XmlElement): XmlElement[] {
  return children.filter(({ name }) => name !== textNode)
}

function onlyPart(element: XmlElement): XmlElement {
  const [only, ...more] = partsOf(element)
  if (only !== undefined && more.length === 0) return only
  throw invalidFilter(`"${element.name}" has ${partsOf(element).length} parts where it takes one`)
}

function ignoresCase({ attributes }: XmlElement): boolean {
  return /^(?:false|0)$/.test(attributes['matchCase'] ?? '')
}

function folded(sides: readonly Expression[]): Expression[] {
  return sides.map((side) => call('casei', side))
}

/** Returns the feature id of an element, empty if it has none; undefined for an element of another name. */
export function featureIdOf({ name, attributes }: XmlElement): string | undefined {
  const key = ownValue(idAttributes, name)
  return key === undefined ? undefined : (ownValue(attributes, key) ?? '')
}

function literalType(type: ValueType): AttributeType {
  return type === 'text' ? type : 'float64'
}

/** Returns a pattern with `%`, `_` and a backslash for its own characters. */
function toPattern(text: string, { wildCard, singleChar, escapeChar }: PatternSigns): string {
  let pattern = ''
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    const plain = escapeChar !== '' && rest.startsWith(escapeChar) && rest.length > escapeChar.length
    if (plain) at += escapeChar.length
    const special = [wildCard, singleChar].find((one) => one !== '' && rest.startsWith(one))
    if (!plain && special !== undefined) {
      pattern += special === wildCard ? '%' : '_'
      at += special.length
    } else {
      pattern += escapePattern(text.charAt(at))
      at += 1
    }
  }
  return pattern
}
