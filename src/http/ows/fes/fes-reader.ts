import type { ArithmeticOperator } from '../../../filters/calculate.ts'
import type { Expression, FilterComparison, TemporalRelation } from '../../../filters/expression.ts'
import { withinDistance } from '../../../filters/expression.ts'
import type { FilterFunction, ValueType } from '../../../filters/functions.ts'
import { filterFunctions, isFilterFunction } from '../../../filters/functions.ts'
import { invalidFilter, unsupportedFilter } from '../../../filters/refusals.ts'
import type { AttributeType, Schema } from '../../../geo/schema.ts'
import { ownValue } from '../../../lib/own-value.ts'
import type { XmlElement } from '../../../lib/text/xml-tree.ts'
import type { LayerCrs, NamedCrs } from '../named-crs.ts'
import { defaultCrs } from '../named-crs.ts'
import { findProperty, isUnusedGml } from '../property-names.ts'
import { isGml, readGml } from './gml-literals.ts'
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

const call = (op: string, ...args: Expression[]): Expression => ({ kind: 'call', op, args })

/** Reads operators of Filter Encoding for a layer, whose attribute types determine the types of literals. */
export class FesReader {
  readonly #schema: Schema
  readonly #usual: NamedCrs
  #srs: string | undefined

  constructor(layer: LayerCrs) {
    this.#schema = layer.details.schema
    this.#usual = defaultCrs(layer) ?? { srs: 'EPSG:4326', isYx: false, name: '' }
  }

  /** CRS of its geometries. */
  get srs(): string {
    return this.#srs ?? this.#usual.srs
  }

  read(element: XmlElement): Expression {
    const { name, children } = element
    const group = ownValue(groups, name)
    if (group !== undefined) {
      if (children.length === 0) throw invalidFilter(`"${name}" has nothing in it`)
      return call(group, ...children.map((one) => this.read(one)))
    }
    if (name === 'Not') return call('not', this.read(this.#only(element)))
    const comparison = ownValue(comparisons, name)
    if (comparison !== undefined) return this.#comparison(comparison, element)
    const relation = ownValue(relations, name)
    if (relation !== undefined) return this.#relation(relation, element)
    if (name === 'DWithin') return this.#within(element)
    if (name === 'Beyond') return call('not', this.#within(element))
    const time = ownValue(times, name)
    if (time !== undefined) return this.#time(time, element)
    if (name === 'PropertyIsNull' || name === 'PropertyIsNil') return this.#isNull(this.#only(element))
    if (name === 'PropertyIsBetween') return this.#between(element)
    if (name === 'PropertyIsLike') return this.#like(element)
    throw unsupportedFilter(`The operator "${name.slice(0, 100)}" of Filter Encoding is not offered`)
  }

  #isNull(operand: XmlElement): Expression {
    const text = operand.text.trim()
    const isUnused = references.includes(operand.name) && isUnusedGml(text)
    if (isUnused && findProperty(this.#schema, text) === undefined) return { kind: 'boolean', value: true }
    return call('isNull', this.#operand(operand, undefined))
  }

  #only({ name, children }: XmlElement): XmlElement {
    const [only] = children
    if (only !== undefined && children.length === 1) return only
    throw invalidFilter(`"${name}" has ${children.length} parts where it takes one`)
  }

  #typeOf(elements: readonly XmlElement[]): AttributeType | undefined {
    const typed = elements.find(({ name }) => name !== 'Literal')
    if (typed === undefined) return undefined
    if (ownValue(arithmetic, typed.name) !== undefined) return 'float64'
    if (typed.name === 'Function') return literalType(filterFunctions[functionName(typed)].returns)
    const property = findProperty(this.#schema, typed.text.trim())
    return this.#schema.attributes.find(({ name }) => name === property)?.type
  }

  /** An arithmetic operator, or a function (OGC 09-026r2, section 7.6.3); undefined for other elements. */
  #call(element: XmlElement): Expression | undefined {
    const operator = ownValue(arithmetic, element.name)
    if (operator !== undefined)
      return call(operator, ...element.children.map((one) => this.#operand(one, 'float64')))
    if (element.name !== 'Function') return undefined
    const name = functionName(element)
    const [type] = filterFunctions[name].args
    return call(name, ...element.children.map((one) => this.#operand(one, literalType(type))))
  }

  #operand(element: XmlElement, type: AttributeType | undefined): Expression {
    const { name, text, children } = element
    if (references.includes(name)) {
      const property = findProperty(this.#schema, text.trim())
      if (property !== undefined) return { kind: 'property', name: property }
      throw invalidFilter(
        `There is no property "${text.trim().slice(0, 200)}": DescribeFeatureType lists them`,
      )
    }
    const found = this.#call(element)
    if (found !== undefined) return found
    if (name !== 'Literal')
      throw unsupportedFilter(`"${name.slice(0, 100)}" is no value that is offered in filters`)
    if (children.length > 0) throw invalidFilter('A Literal has elements where a value is wanted')
    return literal(text, type)
  }

  #comparison(op: FilterComparison, element: XmlElement): Expression {
    const [left, right] = element.children
    if (left === undefined || right === undefined || element.children.length !== 2)
      throw invalidFilter(`"${element.name}" takes two values`)
    const type = this.#typeOf(element.children)
    const sides = [this.#operand(left, type), this.#operand(right, type)]
    const ignoresCase = /^(?:false|0)$/.test(element.attributes['matchCase'] ?? '') && type === 'text'
    return call(op, ...(ignoresCase ? sides.map((side) => call('casei', side)) : sides))
  }

  #time(op: TemporalRelation, element: XmlElement): Expression {
    const [left, right] = element.children
    if (left === undefined || right === undefined || element.children.length !== 2)
      throw invalidFilter(`"${element.name}" takes two times`)
    return call(op, this.#moment(left), this.#moment(right))
  }

  /** Reads a property, a GML time or period, or a text with a time. */
  #moment(element: XmlElement): Expression {
    return references.includes(element.name) ? this.#operand(element, undefined) : readGmlTime(element)
  }

  #between(element: XmlElement): Expression {
    const [value, lower, upper] = element.children
    if (value === undefined || lower === undefined || upper === undefined)
      throw invalidFilter('"PropertyIsBetween" takes a value and two boundaries')
    const type = this.#typeOf([value])
    const ends = [lower, upper].map((one) => this.#operand(this.#only(one), type))
    return call('between', this.#operand(value, type), ...ends)
  }

  #like(element: XmlElement): Expression {
    const { attributes, children } = element
    const [value, pattern] = children
    if (value === undefined || pattern === undefined || pattern.name !== 'Literal')
      throw invalidFilter('"PropertyIsLike" takes a property and a pattern')
    const quote = attributes['escapeChar'] ?? attributes['escape'] ?? '\\'
    const text = toPattern(
      pattern.text,
      attributes['wildCard'] ?? '*',
      attributes['singleChar'] ?? '?',
      quote,
    )
    const sides: Expression[] = [this.#operand(value, 'text'), { kind: 'text', value: text }]
    const ignoresCase = /^(?:false|0)$/.test(attributes['matchCase'] ?? '')
    return call('like', ...(ignoresCase ? sides.map((side) => call('casei', side)) : sides))
  }

  #relation(op: string, element: XmlElement): Expression {
    if (element.children.some(({ name }) => /^(?:MultiGeometry|MultiSolid|Solid|Tin)$/.test(name)))
      throw unsupportedFilter(
        'Geometries of a filter are points, lines and areas, or several of one of these',
      )
    const geometry = element.children.find(isGml)
    if (geometry === undefined) throw invalidFilter(`"${element.name}" has no geometry of GML`)
    const { wkb, srs } = readGml(geometry, this.#usual)
    if (this.#srs !== undefined && this.#srs !== srs)
      throw unsupportedFilter('The geometries of one filter have one CRS')
    this.#srs = srs
    const written: Expression = { kind: 'geometry', wkb }
    return element.children.indexOf(geometry) === 0 && element.children.length > 1
      ? call(op, written, this.#geometryProperty(element))
      : call(op, this.#geometryProperty(element), written)
  }

  /** Within a distance (OGC 09-026r2, section 7.8.3.3). */
  #within(element: XmlElement): Expression {
    const distance = element.children.find(({ name }) => name === 'Distance')
    if (distance === undefined) throw invalidFilter(`"${element.name}" has no Distance`)
    const { uom, units = '' } = distance.attributes
    const digits = distance.text.trim()
    if (!numbers.test(digits)) throw invalidFilter(`The Distance of "${element.name}" is no number`)
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

  /** Returns the named geometry property, or the only one. */
  #geometryProperty({ children }: XmlElement): Expression {
    const own = this.#schema.geometry?.name
    const named = children.find(({ name }) => references.includes(name))?.text.trim() ?? ''
    const property = named === '' ? own : findProperty(this.#schema, named)
    if (property !== undefined && property === own) return { kind: 'property', name: property }
    throw invalidFilter(
      named === '' ? 'The type has no geometry' : `"${named.slice(0, 200)}" is no geometry of the type`,
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

function literalType(type: ValueType): AttributeType {
  return type === 'text' ? type : 'float64'
}

/** A literal as what it stands beside. */
function literal(text: string, type: AttributeType | undefined): Expression {
  const trimmed = text.trim()
  if (type === 'boolean' && /^(?:true|false|0|1)$/i.test(trimmed))
    return { kind: 'boolean', value: /^(?:true|1)$/i.test(trimmed) }
  const isNumber = type !== undefined && /^(?:int|float|decimal)/.test(type)
  if (isNumber && numbers.test(trimmed)) return { kind: 'number', digits: trimmed }
  return { kind: 'text', value: type === 'text' ? text : trimmed }
}

/** A pattern with `%`, `_` and a backslash for its own characters. */
function toPattern(text: string, wildCard: string, single: string, quote: string): string {
  let pattern = ''
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    const plain = quote !== '' && rest.startsWith(quote) && rest.length > quote.length
    if (plain) at += quote.length
    const special = [wildCard, single].find((one) => one !== '' && rest.startsWith(one))
    if (!plain && special !== undefined) {
      pattern += special === wildCard ? '%' : '_'
      at += special.length
    } else {
      const character = text.charAt(at)
      pattern += /[%_\\]/.test(character) ? `\\${character}` : character
      at += 1
    }
  }
  return pattern
}
