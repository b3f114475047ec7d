import { ownValue } from '../../lib/own-value.ts'
import type { XmlElement } from '../../lib/text/xml-tree.ts'
import type { Losses } from '../losses.ts'
import type { Literal, StyleAttribute, StyleComparison, StyleCondition } from '../model.ts'
import { childElement, childrenOf, elementsOf, styleText } from '../style-xml.ts'

const comparisonNames: Record<string, StyleComparison> = {
  PropertyIsEqualTo: '==',
  PropertyIsNotEqualTo: '!=',
  PropertyIsLessThan: '<',
  PropertyIsLessThanOrEqualTo: '<=',
  PropertyIsGreaterThan: '>',
  PropertyIsGreaterThanOrEqualTo: '>=',
}

/** The comparison that is true with its sides exchanged. */
const exchanged: Record<StyleComparison, StyleComparison> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/**
 * Reads a condition of Filter Encoding 1.0, 1.1 or 2.0; undefined, with a recorded loss, if it has no
 * counterpart.
 */
export function readSldFilter(filter: XmlElement, losses: Losses): StyleCondition | undefined {
  const [first, ...more] = elementsOf(filter)
  if (first === undefined) return undefined
  const ids = elementsOf(filter).flatMap(idOf)
  if (ids.length === more.length + 1) return { op: 'id', ids }
  return readCondition(first, losses)
}

function idOf(element: XmlElement): string[] {
  const { fid, id, rid } = element.attributes
  const found = fid ?? id ?? rid
  return /^(FeatureId|GmlObjectId|ResourceId)$/.test(element.name) && found !== undefined ? [found] : []
}

function readCondition(element: XmlElement, losses: Losses): StyleCondition | undefined {
  const { name } = element
  if (name === 'And' || name === 'Or') return readGroup(element, losses)
  if (name === 'Not') {
    const [inner] = elementsOf(element)
    const condition = inner === undefined ? undefined : readCondition(inner, losses)
    return condition === undefined ? undefined : { op: 'not', condition }
  }
  const ids = idOf(element)
  if (ids.length > 0) return { op: 'id', ids }
  const found = name === 'BBOX' ? readBox(element) : readComparison(element)
  return found ?? losses.add(`the filter ${name}`)
}

/** Of `And` the known conditions are kept; `Or` with an unknown one is unknown. */
function readGroup(element: XmlElement, losses: Losses): StyleCondition | undefined {
  const conditions = elementsOf(element).map((one) => readCondition(one, losses))
  const known = conditions.filter((one) => one !== undefined)
  if (element.name === 'And') return { op: 'all', conditions: known }
  return known.length < conditions.length ? undefined : { op: 'any', conditions: known }
}

function readComparison(element: XmlElement): StyleCondition | undefined {
  const sides = elementsOf(element).map(readSide)
  const [left, right] = sides
  const ignoresCase = element.attributes.matchCase === 'false' ? ({ ignoresCase: true } as const) : {}
  if (element.name === 'PropertyIsNull' || element.name === 'PropertyIsNil')
    return left?.kind === 'attribute' ? { op: 'null', property: left.property } : undefined
  if (element.name === 'PropertyIsBetween') return readBetween(element)
  if (element.name === 'PropertyIsLike') return readLike(element)
  const op = ownValue(comparisonNames, element.name)
  if (op === undefined || left === undefined || right === undefined || sides.length > 2) return undefined
  if (left.kind === 'dimension' && right.kind === 'literal') return dimensionOf(op, right.value)
  if (left.kind === 'attribute' && right.kind === 'attribute')
    return { op, property: left.property, value: { property: right.property }, ...ignoresCase }
  if (left.kind === 'attribute' && right.kind === 'literal')
    return { op, property: left.property, value: literalFor(op, right.value), ...ignoresCase }
  if (left.kind === 'literal' && right.kind === 'attribute')
    return { op: exchanged[op], property: right.property, value: literalFor(op, left.value), ...ignoresCase }
  return left.kind === 'literal' && right.kind === 'literal'
    ? constantOf(op, left.value, right.value)
    : undefined
}

type Side =
  | { kind: 'literal'; value: Literal }
  | ({ kind: 'attribute' } & StyleAttribute)
  | { kind: 'dimension' }

/** Reads one side of a comparison; undefined for computed values. */
function readSide(element: XmlElement): Side | undefined {
  if (element.name === 'Literal') return { kind: 'literal', value: literalOf(element.text) }
  const property = propertyOf(element)
  if (property !== undefined) return { kind: 'attribute', property }
  return element.name === 'Function' && element.attributes.name === 'dimension'
    ? { kind: 'dimension' }
    : undefined
}

/** Returns the attribute that an element names, without the path before it. */
export function propertyOf({ name, text }: XmlElement): string | undefined {
  if (name !== 'PropertyName' && name !== 'ValueReference') return undefined
  const property = text.trim()
  return property === '' ? undefined : property
}

/** Returns a number if the text has the form of a number; codes such as `01` remain texts. */
export function literalOf(text: string): Literal {
  const word = text.trim()
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,20})?([eE][+-]?\d{1,2})?$/.test(word) ? Number(word) : word
}

/** In a greater or less comparison a numeric text is meant as a number. */
function literalFor(op: StyleComparison, value: Literal): Literal {
  if (op === '==' || op === '!=' || typeof value !== 'string' || value.trim() === '') return value
  return Number.isFinite(Number(value)) ? Number(value) : value
}

function dimensionOf(op: StyleComparison, value: Literal): StyleCondition | undefined {
  if ((value !== 0 && value !== 1 && value !== 2) || (op !== '==' && op !== '!=')) return undefined
  const condition: StyleCondition = { op: 'dimension', value }
  return op === '==' ? condition : { op: 'not', condition }
}

function constantOf(op: StyleComparison, left: Literal, right: Literal): StyleCondition | undefined {
  if (op !== '==' && op !== '!=') return undefined
  return { op: (left === right) === (op === '==') ? 'all' : 'any', conditions: [] }
}

function readBetween(element: XmlElement): StyleCondition | undefined {
  const [first] = elementsOf(element)
  const property = first === undefined ? undefined : propertyOf(first)
  const [lower, upper] = ['LowerBoundary', 'UpperBoundary'].map((name) => {
    const side = elementsOf(childElement(element, name)).map(readSide)[0]
    return side?.kind === 'literal' ? literalFor('>', side.value) : undefined
  })
  if (property === undefined || lower === undefined || upper === undefined) return undefined
  return {
    op: 'all',
    conditions: [
      { op: '>=', property, value: lower },
      { op: '<=', property, value: upper },
    ],
  }
}

/** Converts a pattern with the element's wildcards to one with `%`, `_` and backslashes. */
function readLike(element: XmlElement): StyleCondition | undefined {
  const { wildCard = '*', singleChar = '#', attributes, literal, property } = likeParts(element)
  if (property === undefined || literal === undefined) return undefined
  const signs = { wildCard, singleChar, escapeSign: attributes.escape ?? attributes.escapeChar ?? '!' }
  const ignoresCase = attributes.matchCase === 'false' ? ({ ignoresCase: true } as const) : {}
  return { op: 'like', property, pattern: usualPattern(literal, signs), ...ignoresCase }
}

interface PatternSigns {
  wildCard: string
  singleChar: string
  escapeSign: string
}

function usualPattern(text: string, { wildCard, singleChar, escapeSign }: PatternSigns): string {
  const isAt = (sign: string, at: number): boolean => sign !== '' && text.startsWith(sign, at)
  let pattern = ''
  let at = 0
  while (at < text.length) {
    const isEscaped = isAt(escapeSign, at) && at + escapeSign.length < text.length
    if (isEscaped) at += escapeSign.length
    const wild = isEscaped ? undefined : isAt(wildCard, at) ? '%' : isAt(singleChar, at) ? '_' : undefined
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
    pattern += wild ?? escapePattern(char)
    at += wild === '%' ? wildCard.length : wild === '_' ? singleChar.length : char.length
  }
  return pattern
}

/** A text in which no sign of a pattern has its meaning. */
function escapePattern(text: string): string {
  return text.replace(/[%_\\]/g, '\\$&')
}

function likeParts(element: XmlElement) {
  const { attributes } = element
  const [property] = elementsOf(element).flatMap((one) => propertyOf(one) ?? [])
  const { wildCard, singleChar } = attributes
  return {
    wildCard,
    singleChar,
    attributes,
    property,
    literal: childElement(element, 'Literal')?.text.trim(),
  }
}

/** `Box` of GML 2 and `Envelope` of GML 3; axes by their order in the document, as MapServer and GeoServer take them. */
function readBox(element: XmlElement): StyleCondition | undefined {
  const box = childElement(element, 'Box') ?? childElement(element, 'Envelope')
  if (box === undefined) return undefined
  const corners = [...childrenOf(box, 'lowerCorner'), ...childrenOf(box, 'upperCorner')].map(
    ({ text }) => text,
  )
  const pairs = childrenOf(box, 'coord').map((one) => `${styleText(one, 'X')} ${styleText(one, 'Y')}`)
  const text = [styleText(box, 'coordinates') ?? '', ...corners, ...pairs].join(' ').trim()
  const [minX, minY, maxX, maxY, ...more] = text.split(/[\s,]+/).map(Number)
  if (minX === undefined || minY === undefined || maxX === undefined || maxY === undefined || more.length > 0)
    return undefined
  if (![minX, minY, maxX, maxY].every(Number.isFinite)) return undefined
  const srs = box.attributes.srsName
  return { op: 'bbox', box: [minX, minY, maxX, maxY], ...(srs === undefined ? {} : { srs }) }
}
