import { invalid } from '../../core/errors/errors.ts'
import { Losses } from '../losses.ts'
import type { Rule, Style, Symbolizer } from '../model.ts'
import { scaleOfZoom } from '../scale.ts'
import { readMapLibreFilter } from './read-filter.ts'
import { markName, readSymbols } from './read-symbols.ts'
import type { Node } from './read-values.ts'
import { asNode } from './read-values.ts'

/** Keys in the `metadata` of layers and styles for what MapLibre cannot express. */
export const metadataNames = {
  lost: 'terrane:not-converted',
  rule: 'terrane:rule',
  outline: 'terrane:outline',
  title: 'terrane:title',
  abstract: 'terrane:abstract',
  mark: markName,
} as const

const maxDepth = 200

/** Throws `Failure` (`invalid-style`) if a document is not a MapLibre style of version 8. */
export function checkMapLibre(document: string): void {
  const style = parseObject(document)
  if (style?.version === 8 && Array.isArray(style.layers)) return
  throw invalid('invalid-style', 'A MapLibre style is JSON with "version": 8 and a list of "layers"')
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Reads a MapLibre style document (version 8): each layer becomes a rule and a pass. */
export function readMapLibre(document: string): Style {
  const style = asNode(JSON.parse(document))
  requireShallow(style)
  const losses = new Losses()
  const layers = Array.isArray(style.layers) ? style.layers.map(asNode) : []
  const sources = new Set(layers.flatMap((layer) => layer['source-layer'] ?? []).map(String))
  if (sources.size > 1) losses.add(`that layers are drawn from several sources: ${[...sources].join(', ')}`)
  const rules: Rule[] = []
  let last: unknown
  for (const layer of layers) {
    const rule = ruleOf(layer, losses)
    const group = asNode(layer.metadata)[metadataNames.rule]
    const before = rules.at(-1)
    if (group !== undefined && group === last && before !== undefined) join(before, rule, layer)
    else if (rule.symbols.length > 0)
      rules.push({ ...rule, pass: rules.length === 0 ? rule.pass : rules.length })
    last = group
  }
  return { name: typeof style.name === 'string' ? style.name : undefined, rules, lost: losses.list() }
}

/** Throws `Failure` (`invalid`) for a document that is nested too deeply to be read. */
function requireShallow(style: Node): void {
  let level: unknown[] = [style]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw invalid('invalid-style', `The style document is nested deeper than ${maxDepth} levels`)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
}

/** Joins a layer to the previous rule: one more symbol, or the outline of its last polygon. */
function join(before: Rule, { symbols }: Rule, layer: Node): void {
  const last = before.symbols.at(-1)
  const [first] = symbols
  const isOutline = asNode(layer.metadata)[metadataNames.outline] === true
  if (isOutline && last?.kind === 'polygon' && first?.kind === 'line')
    before.symbols[before.symbols.length - 1] = { ...last, stroke: first.stroke, ...unitOf(first) }
  else before.symbols.push(...symbols)
}

function unitOf({ unit }: { unit?: 'pixel' | 'metre' }): { unit?: 'pixel' | 'metre' } {
  return unit === undefined ? {} : { unit }
}

function ruleOf(layer: Node, losses: Losses): Rule {
  const isHidden = asNode(layer.layout).visibility === 'none'
  if (isHidden) losses.add(`the hidden layer ${String(layer.id)}`)
  const condition = readMapLibreFilter(layer.filter)
  if (layer.filter !== undefined && condition === undefined) losses.add('a filter')
  const { [metadataNames.title]: title, [metadataNames.abstract]: abstract } = asNode(layer.metadata)
  const symbols: Symbolizer[] = isHidden ? [] : readSymbols(layer, losses)
  return {
    name: typeof layer.id === 'string' ? layer.id : undefined,
    title: typeof title === 'string' ? title : undefined,
    abstract: typeof abstract === 'string' ? abstract : undefined,
    condition,
    minScale: isZoom(layer.maxzoom) ? scaleOfZoom(layer.maxzoom) : undefined,
    maxScale: isZoom(layer.minzoom) && layer.minzoom > 0 ? scaleOfZoom(layer.minzoom) : undefined,
    symbols,
  }
}

function isZoom(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 24
}
