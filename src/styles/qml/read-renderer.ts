import type { XmlElement } from '../../core/text/xml-tree.ts'
import type { Expression } from '../../filters/expression.ts'
import { conjunction, disjunction } from '../../filters/expression.ts'
import { comparison, everyOf, negation, someOf } from '../condition.ts'
import type { Losses } from '../losses.ts'
import type { Literal, Rule } from '../model.ts'
import { childElement, childrenOf } from '../style-xml.ts'
import { readAttribute, readExpression } from './read-expression.ts'
import type { ReadSymbol } from './read-symbols.ts'
import { readSymbol } from './read-symbols.ts'

const maxDepth = 50

/** Reads the rules of a feature renderer; none, with a recorded loss, for unknown renderers. */
export function readRenderer(renderer: XmlElement, opacity: number, losses: Losses): Rule[] {
  const reader = new RendererReader(renderer, opacity, losses)
  switch (renderer.attributes.type) {
    case 'singleSymbol':
      return [reader.rule({}, '0')]
    case 'categorizedSymbol':
      return reader.categories()
    case 'graduatedSymbol':
      return reader.ranges()
    case 'RuleRenderer':
      return reader.rules(childElement(renderer, 'rules'), undefined, 0)
    case 'nullSymbol':
      return []
    default:
      losses.add(`a renderer of type ${renderer.attributes.type ?? 'none'}`)
      return []
  }
}

class RendererReader {
  readonly #renderer: XmlElement
  readonly #symbols: Map<string, ReadSymbol>
  readonly #losses: Losses
  readonly #hasLevels: boolean

  constructor(renderer: XmlElement, opacity: number, losses: Losses) {
    this.#renderer = renderer
    this.#losses = losses
    this.#hasLevels = renderer.attributes.symbollevels === '1'
    this.#symbols = new Map(
      childrenOf(childElement(renderer, 'symbols'), 'symbol').map((symbol) => [
        symbol.attributes.name ?? '',
        readSymbol(symbol, opacity, losses),
      ]),
    )
  }

  rule(rule: Omit<Rule, 'symbols'>, symbolName: string | undefined): Rule {
    const { symbols, pass } = this.#symbols.get(symbolName ?? '') ?? { symbols: [], pass: 0 }
    return { ...rule, pass: this.#hasLevels && pass > 0 ? pass : rule.pass, symbols }
  }

  #attribute(): string | undefined {
    const expression = this.#renderer.attributes.attr ?? ''
    const property = readAttribute(expression) ?? (/^[^"'()]+$/.test(expression) ? expression : undefined)
    return property ?? this.#losses.add(`classes of the expression ${expression}`)
  }

  /** A disabled category draws nothing, and its features are not drawn by the default category either. */
  categories(): Rule[] {
    const property = this.#attribute()
    if (property === undefined) return []
    return childrenOf(childElement(this.#renderer, 'categories'), 'category').map((category) => {
      const { value = '', type, label, render, symbol } = category.attributes
      const listed = childrenOf(category, 'val').map((one) => literalOf(one.attributes.value ?? '', type))
      const values = listed.length > 0 ? listed : value === '' ? [] : [literalOf(value, type)]
      const condition = someOf(values.map((one) => comparison('=', property, one)))
      const frame = {
        ...titleOf(label),
        ...(values.length === 0 ? { isElse: true as const } : { condition }),
      }
      return this.rule(frame, render === 'false' ? undefined : symbol)
    })
  }

  /** Reads the rules of ranges. A bound belongs to the first range that has it. */
  ranges(): Rule[] {
    const property = this.#attribute()
    if (property === undefined) return []
    const uppers = new Set<number>()
    return childrenOf(childElement(this.#renderer, 'ranges'), 'range').map(({ attributes }) => {
      const [lower, upper] = [Number(attributes.lower), Number(attributes.upper)]
      const condition = conjunction([
        comparison(uppers.has(lower) ? '>' : '>=', property, lower),
        comparison('<=', property, upper),
      ])
      uppers.add(upper)
      const frame = { ...titleOf(attributes.label), condition }
      return this.rule(frame, attributes.render === 'false' ? undefined : attributes.symbol)
    })
  }

  /** Nested rules apply only where their parent rule applies. */
  rules(parent: XmlElement | undefined, above: Frame | undefined, depth: number): Rule[] {
    if (depth > maxDepth) return this.#losses.add('rules that are nested too deep') ?? []
    const elements = childrenOf(parent, 'rule').filter(({ attributes }) => attributes.checkstate !== '0')
    const frames = elements.map(({ attributes }) => this.#frame(attributes, above))
    return elements.flatMap((element, index) => {
      const { isElse, ...frame } = frames[index] ?? {}
      const others = frames.flatMap((one) => (one.isElse === true ? [] : [one.condition ?? always]))
      const own = isElse === true && depth > 0 ? { ...frame, condition: restOf(above, others) } : frame
      const flag = isElse === true && depth === 0 ? { isElse } : {}
      const { label, symbol, description } = element.attributes
      const rule = this.rule(
        { ...titleOf(label), abstract: description || undefined, ...own, ...flag },
        symbol,
      )
      const inner = this.rules(element, own, depth + 1)
      return symbol === undefined && depth > 0 ? inner : [rule, ...inner]
    })
  }

  #frame(attributes: Record<string, string>, above: Frame | undefined): Frame {
    const { filter, scalemindenom, scalemaxdenom } = attributes
    const isElse = filter?.trim().toUpperCase() === 'ELSE'
    const own = filter === undefined || isElse ? undefined : readExpression(filter)
    if (filter !== undefined && !isElse && own === undefined) this.#losses.add(`the filter ${filter}`)
    const conditions = [above?.condition, own].filter((one) => one !== undefined)
    const minScale = Math.max(above?.minScale ?? 0, scaleOf(scalemindenom) ?? 0)
    const maxScale = Math.min(above?.maxScale ?? Number.MAX_VALUE, scaleOf(scalemaxdenom) ?? Number.MAX_VALUE)
    return {
      isElse: isElse || undefined,
      condition: conditions.length === 0 ? undefined : everyOf(conditions),
      minScale: minScale === 0 ? undefined : minScale,
      maxScale: maxScale === Number.MAX_VALUE ? undefined : maxScale,
    }
  }
}

type Frame = Pick<Rule, 'condition' | 'minScale' | 'maxScale' | 'isElse'>

const always = conjunction([])

function restOf(above: Frame | undefined, others: Expression[]): Expression {
  const rest = negation(disjunction(others))
  return above?.condition === undefined ? rest : everyOf([above.condition, rest])
}

function titleOf(label: string | undefined): { title?: string } {
  return label === undefined || label === '' ? {} : { title: label }
}

/** Reads a bound of the scale; 0 means that there is none. */
export function scaleOf(text: string | undefined): number | undefined {
  const scale = Number(text)
  return text !== undefined && Number.isFinite(scale) && scale > 0 ? scale : undefined
}

/** Returns a number if the document says so, or if it specifies no type and the text is numeric. */
function literalOf(text: string, type: string | undefined): Literal {
  const isNumber = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text)
  return isNumber && type !== 'string' ? Number(text) : text
}
