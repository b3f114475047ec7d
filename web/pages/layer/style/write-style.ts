import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { CategoryValue, Drawn, EditedLabel, EditedStyle, EditedSymbol } from './edited-style.ts'
import { classTitle } from './edited-style.ts'

interface Target {
  drawn: Drawn
  /** Columns whose numbers are texts in the drawn tiles. */
  numberTexts?: ReadonlySet<string>
  /** Source layer in tiles; absent in documents. */
  sourceLayer?: string
}

type Filter = ExpressionSpecification

interface Rule {
  name: string
  title?: string
  filter?: Filter
  color: string
}

/** The layers of MapLibre that draw a style. */
export function layersOf(style: EditedStyle, target: Target): LayerSpecification[] {
  const rules = rulesOf(style, target)
  const shapes = rules.flatMap((rule, index) => symbolLayers(rule, index, style.symbol, target.drawn))
  const layers = style.label === undefined ? shapes : [...shapes, labelLayer(style.label, target.drawn)]
  const { sourceLayer } = target
  return layers.map(
    (layer) =>
      ({
        ...layer,
        source: sourceLayer ?? 'layer',
        ...(sourceLayer !== undefined && { 'source-layer': sourceLayer }),
      }) as LayerSpecification,
  )
}

/** Returns the document to save. */
export function documentOf(name: string, style: EditedStyle, drawn: Drawn): object {
  return { version: 8, name, sources: {}, layers: layersOf(style, { drawn }) }
}

function rulesOf(style: EditedStyle, { numberTexts }: Target): Rule[] {
  const { mode, column, symbol, none } = style
  if (mode === 'one' || column === undefined) return [{ name: 'all', color: symbol.color }]
  const rest: Rule[] =
    none === undefined ? [] : [{ name: 'no value', title: 'No value', filter: isEmpty(column), color: none }]
  if (mode === 'categories') return [...categoryRules(style, column), ...rest]
  const isText = numberTexts?.has(column) === true
  const { classes } = style
  const ruled = classes.map(({ color, title }, index): Rule => {
    const filter = classFilter(column, classes[index - 1]?.upper, upperOf(classes, index), isText)
    return { name: `class ${index + 1}`, title: title ?? classTitle(classes, index), filter, color }
  })
  return [...ruled, ...rest]
}

/** The last class has no upper limit: it includes later values. */
function upperOf(classes: EditedStyle['classes'], index: number): number | undefined {
  return index === classes.length - 1 ? undefined : classes[index]?.upper
}

function classFilter(
  column: string,
  lower: number | undefined,
  upper: number | undefined,
  isText: boolean,
): Filter {
  const get = ['get', column]
  const value = isText ? ['to-number', get] : get
  const parts = [
    ...(isText || (lower === undefined && upper === undefined) ? [['!=', get, null]] : []),
    ...(lower === undefined ? [] : [['>', value, lower]]),
    ...(upper === undefined ? [] : [['<=', value, upper]]),
  ]
  return (parts.length === 1 ? parts[0] : ['all', ...parts]) as Filter
}

function categoryRules({ categories, others }: EditedStyle, column: string): Rule[] {
  const ruled = categories.map(
    ({ value, color, title }, index): Rule => ({
      name: `category ${index + 1}`,
      title: title ?? String(value),
      filter: isValue(column, value),
      color,
    }),
  )
  if (others === undefined) return ruled
  const known = [...categories.map(({ value }) => isValue(column, value)), ...emptyParts(column)]
  const filter = ['!', ['any', ...known]] as Filter
  return [...ruled, { name: 'other values', title: 'Other values', filter, color: others }]
}

function isValue(column: string, value: CategoryValue): Filter {
  return ['==', ['get', column], value] as Filter
}

function emptyParts(column: string): Filter[] {
  return [['==', ['get', column], null] as Filter, isValue(column, '')]
}

function isEmpty(column: string): Filter {
  return ['any', ...emptyParts(column)] as Filter
}

const kinds = [
  ['areas', 'Polygon'],
  ['lines', 'LineString'],
  ['points', 'Point'],
] as const

type Part = Record<string, unknown> & { metadata?: Record<string, unknown> }

function symbolLayers(rule: Rule, index: number, symbol: EditedSymbol, drawn: Drawn): Part[] {
  const requested = kinds.filter(([kind]) => drawn === kind || drawn === 'anything')
  return requested.flatMap(([kind, type]) => {
    const own = ['==', ['geometry-type'], type] as Filter
    const filter = drawn !== 'anything' ? rule.filter : both(own, rule.filter)
    const name = drawn === 'anything' ? `${rule.name} ${kind}` : rule.name
    const parts = paintedParts(kind, rule.color, symbol)
    return parts.map(({ metadata, ...part }, at) => ({
      id: at === 0 ? name : `${name} outline`,
      ...metadataOf({
        ...(parts.length > 1 && { 'terrane:rule': drawn === 'anything' ? index * 3 : index }),
        ...metadata,
        ...(rule.title !== undefined && { 'terrane:title': rule.title }),
      }),
      ...(filter !== undefined && { filter }),
      ...part,
    }))
  })
}

function both(one: Filter, other: Filter | undefined): Filter {
  return other === undefined ? one : (['all', one, other] as Filter)
}

function metadataOf(metadata: Record<string, unknown>): { metadata?: Record<string, unknown> } {
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

function paintedParts(kind: (typeof kinds)[number][0], color: string, symbol: EditedSymbol): Part[] {
  const { opacity, lineColor, lineWidth, width, size, mark } = symbol
  if (kind === 'lines')
    return [{ type: 'line', paint: { 'line-color': color, 'line-width': width, 'line-opacity': opacity } }]
  if (kind === 'areas')
    return [
      { type: 'fill', paint: { 'fill-color': color, 'fill-opacity': opacity } },
      ...(lineWidth === 0
        ? []
        : [
            {
              metadata: { 'terrane:outline': true },
              type: 'line',
              paint: { 'line-color': lineColor, 'line-width': lineWidth },
            },
          ]),
    ]
  const outline =
    lineWidth === 0 ? {} : { 'circle-stroke-color': lineColor, 'circle-stroke-width': lineWidth }
  return [
    {
      ...(mark !== 'circle' && { metadata: { 'terrane:mark': mark } }),
      type: 'circle',
      paint: { 'circle-radius': size / 2, 'circle-color': color, 'circle-opacity': opacity, ...outline },
    },
  ]
}

function labelLayer({ column, size, color, haloColor, haloWidth }: EditedLabel, drawn: Drawn): Part {
  const places: Partial<Record<Drawn, object>> = {
    points: { 'text-anchor': 'top', 'text-offset': [0, 0.6] },
    lines: { 'symbol-placement': 'line' },
  }
  return {
    id: 'label',
    metadata: { 'terrane:title': column },
    type: 'symbol',
    layout: { 'text-field': ['get', column], 'text-size': size, ...places[drawn] },
    paint: {
      'text-color': color,
      ...(haloWidth > 0 && { 'text-halo-color': haloColor, 'text-halo-width': haloWidth }),
    },
  }
}
