import { Failure } from '../../core/errors/errors.ts'
import type { XmlElement } from '../../core/text/xml-tree.ts'
import type { Expression, FilterComparison } from '../../filters/expression.ts'
import { call, conjunction, disjunction } from '../../filters/expression.ts'
import { FesReader, featureIdOf } from '../../filters/fes/fes-reader.ts'
import { readGmlCorners } from '../../filters/fes/gml-literals.ts'
import { invalidFilter, unsupportedFilter } from '../../filters/filter-size.ts'
import type { AttributeType } from '../../geo/schema.ts'
import { attribute, findCondition, literal, negation } from '../condition.ts'
import type { Losses } from '../losses.ts'
import type { Literal } from '../model.ts'
import { elementsOf } from '../style-xml.ts'

/**
 * Reads a condition of Filter Encoding 1.0, 1.1 or 2.0; undefined, with a recorded loss, if it has no
 * counterpart.
 */
export function readSldFilter(filter: XmlElement, losses: Losses): Expression | undefined {
  const parts = elementsOf(filter)
  const [first] = parts
  if (first === undefined) return undefined
  const ids = parts.flatMap((part) => featureIdOf(part) ?? [])
  if (ids.length === parts.length) return { kind: 'ids', ids }
  return new StyleFesReader(losses).condition(first)
}

/** Reads Filter Encoding for layers whose schema and CRS are not known. */
class StyleFesReader extends FesReader {
  /** Pattern characters of documents that do not specify them, the same as in GeoServer. */
  protected override readonly signs = { wildCard: '*', singleChar: '#', escapeChar: '!' }
  readonly #losses: Losses

  constructor(losses: Losses) {
    super()
    this.#losses = losses
  }

  /** Unlike a request, a style with unsupported operators is not rejected: they are recorded as losses. */
  condition(element: XmlElement): Expression | undefined {
    const { name } = element
    if (name === 'And' || name === 'Or') return this.#group(element)
    if (name === 'Not') {
      const [inner] = elementsOf(element)
      const condition = inner && this.condition(inner)
      return condition && negation(condition)
    }
    const id = featureIdOf(element)
    if (id !== undefined) return { kind: 'ids', ids: [id] }
    return this.#predicate(element) ?? this.#losses.add(`the filter ${name}`)
  }

  /** Reads the known conditions of `And`. An `Or` with an unknown condition is unknown. */
  #group(element: XmlElement): Expression | undefined {
    const conditions = elementsOf(element).map((one) => this.condition(one))
    const known = conditions.filter((one) => one !== undefined)
    if (element.name === 'And') return conjunction(known)
    return known.length < conditions.length ? undefined : disjunction(known)
  }

  #predicate(element: XmlElement): Expression | undefined {
    try {
      const found = this.read(element)
      return findCondition(found) && found
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }

  protected override property(text: string): Expression {
    if (text === '') throw invalidFilter('A property of the filter has no name')
    return attribute(text)
  }

  protected override geometryProperty(): Expression {
    return attribute('geometry')
  }

  /** Reads coordinates in the axis order of the document, like MapServer and GeoServer. */
  protected override geometry(element: XmlElement, operator: string): Expression {
    if (operator !== 'BBOX' || !['Box', 'Envelope'].includes(element.name))
      throw unsupportedFilter('Filters of styles have no geometries but boxes')
    return { kind: 'box', sides: readGmlCorners(element), ...srsOf(element) }
  }

  protected override typeOf(): AttributeType | undefined {
    return undefined
  }

  /** A style does not know the types of attributes. */
  protected override hasCase(): boolean {
    return true
  }

  protected override literal(
    text: string,
    _type: AttributeType | undefined,
    op?: FilterComparison,
  ): Expression {
    return literal(literalFor(op, literalOf(text)))
  }

  protected override pattern(text: string): string {
    return text.trim()
  }

  protected override functionCall(element: XmlElement): Expression {
    return element.attributes.name === 'dimension' ? call('dimension') : super.functionCall(element)
  }
}

function srsOf({ attributes }: XmlElement): { srs?: string } {
  return attributes.srsName === undefined ? {} : { srs: attributes.srsName }
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
function literalFor(op: FilterComparison | undefined, value: Literal): Literal {
  if (op === undefined || op === '=' || op === '<>' || typeof value !== 'string' || value.trim() === '')
    return value
  return Number.isFinite(Number(value)) ? Number(value) : value
}
