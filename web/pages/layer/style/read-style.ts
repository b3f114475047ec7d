import {
  type CategoryValue,
  classTitle,
  type EditedLabel,
  type EditedStyle,
  type EditedSymbol,
  marks,
  usualSymbol,
} from './edited-style.ts'

type Node = Record<string, unknown>

interface Rule {
  key: string
  filter: unknown
  title: string | undefined
  color: string
  symbol: Partial<EditedSymbol>
}

/** Parses a style document for the editor; undefined if the editor cannot express it. */
export function readStyle(document: { layers?: unknown }): EditedStyle | undefined {
  if (!Array.isArray(document.layers)) return undefined
  const layers = document.layers.map(asNode)
  const labels = layers.filter(({ type }) => type === 'symbol')
  const label = labels[0] === undefined ? undefined : readLabel(labels[0])
  if (labels.length > 1 || (labels.length === 1 && label === undefined)) return undefined
  const rules = rulesOf(layers.filter(({ type }) => type !== 'symbol'))
  const [first] = rules ?? []
  if (rules === undefined || first === undefined) return undefined
  const symbol = { ...usualSymbol, ...first.symbol, color: first.color }
  const shapes = new Set(rules.map((one) => JSON.stringify(one.symbol)))
  if (shapes.size > 1) return undefined
  const plain: EditedStyle = { mode: 'one', symbol, classes: [], categories: [], label }
  if (rules.length === 1 && first.filter === undefined) return plain
  return divided(plain, rules)
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
}

/** Style layers with the same filter form one rule; undefined for a layer that the editor cannot express. */
function rulesOf(layers: readonly Node[]): Rule[] | undefined {
  const rules = new Map<string, Rule>()
  for (const layer of layers) {
    const symbol = symbolOf(layer)
    if (symbol === undefined || layer['minzoom'] !== undefined || layer['maxzoom'] !== undefined)
      return undefined
    const filter = withoutKind(layer['filter'])
    const key = JSON.stringify(filter ?? null)
    const before = rules.get(key)
    const isOutline = asNode(layer['metadata'])['terrane:outline'] === true
    const title = asNode(layer['metadata'])['terrane:title']
    const { color, ...rest } = symbol
    if (before === undefined) {
      const own = { filter, title: typeof title === 'string' ? title : undefined }
      rules.set(key, { key, ...own, color: color ?? usualSymbol.color, symbol: rest })
    } else if (isOutline || color === before.color) before.symbol = { ...rest, ...before.symbol, ...rest }
    else return undefined
  }
  return [...rules.values()].map((rule) => ({ ...rule, symbol: { lineWidth: 0, ...rule.symbol } }))
}

/** Style layers of the three geometry types form one rule. */
function withoutKind(filter: unknown): unknown {
  if (!Array.isArray(filter)) return undefined
  if (isKind(filter)) return undefined
  if (filter[0] !== 'all') return filter
  const rest = filter.slice(1).filter((one) => !isKind(one))
  if (rest.length === filter.length - 1) return filter
  return rest.length === 1 ? rest[0] : ['all', ...rest]
}

function isKind(filter: unknown): boolean {
  return Array.isArray(filter) && filter[0] === '==' && JSON.stringify(filter[1]) === '["geometry-type"]'
}

/** Undefined where a property is computed, or is none of the editor's. */
function symbolOf(layer: Node): Partial<EditedSymbol> | undefined {
  if (Object.keys(asNode(layer['layout'])).length > 0) return undefined
  const paint = asNode(layer['paint'])
  const known = fields[String(layer['type'])]
  if (known === undefined) return undefined
  const metadata = asNode(layer['metadata'])
  const isOutline = metadata['terrane:outline'] === true
  const hasThin = layer['type'] === 'fill' && paint['fill-outline-color'] !== undefined
  const symbol: Node = hasThin ? { lineWidth: 1 } : {}
  for (const [name, value] of Object.entries(paint)) {
    const field = (isOutline ? outlineFields : known)[name]
    if (field === undefined || (typeof value !== 'string' && typeof value !== 'number')) return undefined
    symbol[field] = field === 'size' ? Number(value) * 2 : value
  }
  const colors = ['color', 'lineColor'].map((field) => symbol[field] ?? '#000000')
  if (!colors.every((color) => /^#[0-9a-f]{6}$/i.test(String(color)))) return undefined
  const mark = marks.find((one) => one === metadata['terrane:mark'])
  const isWhole = !isOutline && symbol['opacity'] === undefined
  return { ...(isWhole && { opacity: 1 }), ...symbol, ...(mark && { mark }) }
}

const outlineFields: Record<string, keyof EditedSymbol> = {
  'line-color': 'lineColor',
  'line-width': 'lineWidth',
}
const fields: Record<string, Record<string, keyof EditedSymbol>> = {
  fill: { 'fill-color': 'color', 'fill-opacity': 'opacity', 'fill-outline-color': 'lineColor' },
  line: { 'line-color': 'color', 'line-width': 'width', 'line-opacity': 'opacity' },
  circle: {
    'circle-radius': 'size',
    'circle-color': 'color',
    'circle-opacity': 'opacity',
    'circle-stroke-color': 'lineColor',
    'circle-stroke-width': 'lineWidth',
  },
}

/** Returns classes or categories of one column, and the symbol of null. */
function divided(plain: EditedStyle, rules: readonly Rule[]): EditedStyle | undefined {
  const columns = new Set<string>()
  const style: EditedStyle = { ...plain, mode: 'classes' }
  for (const { filter, color, title } of rules) {
    const meant = meaningOf(filter)
    if (meant === undefined) return undefined
    columns.add(meant.column)
    if (meant.is === 'none') style.none = color
    else if (meant.is === 'others') style.others = color
    else if (meant.is === 'category') style.categories.push({ ...named(title), value: meant.value, color })
    else style.classes.push({ ...named(title), upper: meant.upper, color })
  }
  const [column] = columns
  if (columns.size !== 1 || column === undefined) return undefined
  if (style.categories.length > 0 && style.classes.length > 0) return undefined
  style.column = column
  style.mode = style.classes.length > 0 ? 'classes' : 'categories'
  const isAscending = style.classes.every(({ upper }, at) => upper >= (style.classes[at - 1]?.upper ?? upper))
  return isAscending ? withoutUsualTitles(style) : undefined
}

function named(title: string | undefined): { title?: string } {
  return title === undefined ? {} : { title }
}

function withoutUsualTitles(style: EditedStyle): EditedStyle {
  const classes = style.classes.map(({ title, ...one }, index) => ({
    ...one,
    ...(title !== classTitle(style.classes, index) && !isLimits(title) && named(title)),
  }))
  const categories = style.categories.map(({ title, ...one }) => ({
    ...one,
    ...(title !== String(one.value) && named(title)),
  }))
  return { ...style, classes, categories }
}

/** True for titles in the form that the server writes for classes. */
function isLimits(title: string | undefined): boolean {
  return title !== undefined && /^-?[\d.e+-]+ – -?[\d.e+-]+$/.test(title)
}

type Meaning = { column: string } & (
  | { is: 'none' }
  | { is: 'others' }
  | { is: 'category'; value: CategoryValue }
  | { is: 'class'; upper: number }
)

function meaningOf(filter: unknown): Meaning | undefined {
  if (!Array.isArray(filter)) return undefined
  const [op, ...rest] = filter as [string, ...unknown[]]
  if (op === '!') {
    const column = columnOf(rest[0])
    return column === undefined ? undefined : { is: 'others', column }
  }
  const column = columnOf(filter)
  if (column === undefined) return undefined
  if (op === 'any') return rest.every(isEmptyPart) ? { is: 'none', column } : undefined
  if (op === '==') {
    const value = rest[1]
    const isValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isValue && value !== '' ? { is: 'category', column, value } : undefined
  }
  const parts = (op === 'all' ? rest : [filter]) as unknown[][]
  if (!parts.every(([one]) => one === '>' || one === '>=' || one === '<=' || one === '!=')) return undefined
  const upper = parts.find(([one]) => one === '<=')?.[2]
  return { is: 'class', column, upper: typeof upper === 'number' ? upper : Number.POSITIVE_INFINITY }
}

function isEmptyPart(part: unknown): boolean {
  return Array.isArray(part) && part[0] === '==' && (part[2] === null || part[2] === '')
}

/** Returns the only column that an expression uses. */
function columnOf(filter: unknown): string | undefined {
  const found = new Set<string>()
  const look = (one: unknown): void => {
    if (!Array.isArray(one)) return
    if (one[0] === 'get' && typeof one[1] === 'string') found.add(one[1])
    else for (const part of one) look(part)
  }
  look(filter)
  return found.size === 1 ? [...found][0] : undefined
}

/** Undefined where a label is more than a column with a halo. */
function readLabel(layer: Node): EditedLabel | undefined {
  const [layout, paint] = [asNode(layer['layout']), asNode(layer['paint'])]
  const field = layout['text-field']
  const usual = ['text-field', 'text-size', 'text-anchor', 'text-offset', 'symbol-placement']
  if (!Object.keys(layout).every((name) => usual.includes(name)) || layer['filter'] !== undefined)
    return undefined
  if (!Array.isArray(field) || field[0] !== 'get' || typeof field[1] !== 'string') return undefined
  const { 'text-color': color = '#000000', 'text-halo-color': haloColor = '#ffffff', ...rest } = paint
  const { 'text-halo-width': haloWidth = 0, ...unknown } = rest
  const size = layout['text-size'] ?? 16
  if (Object.keys(unknown).length > 0 || typeof color !== 'string' || typeof haloColor !== 'string')
    return undefined
  if (typeof size !== 'number' || typeof haloWidth !== 'number') return undefined
  return { column: field[1], size, color, haloColor, haloWidth }
}
