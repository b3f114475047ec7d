import type { Expression } from '../../src/filters/expression.ts'
import { call, disjunction } from '../../src/filters/expression.ts'
import {
  attribute,
  comparison,
  hasDimension,
  isNull,
  likeness,
  negation,
} from '../../src/styles/condition.ts'
import type { Dimension, Rule, Stroke, Symbolizer } from '../../src/styles/model.ts'
import { markShapes } from '../../src/styles/model.ts'

const fill = { color: '#ff0000', opacity: 1 }
const stroke: Stroke = { color: '#0000ff', width: 2, opacity: 1 }
const area: Symbolizer = { kind: 'polygon', fill }
export const line: Symbolizer = { kind: 'line', stroke }
const mark: Symbolizer = { kind: 'point', shape: 'circle', size: 8, fill }
const text: Symbolizer = { kind: 'text', label: [{ property: 'a' }], size: 12, color: '#000000', opacity: 1 }
const raster: Symbolizer = { kind: 'raster', opacity: 1 }
const gray = { gray: { band: 1 } }
const entries = [
  { value: 0, color: '#000000', opacity: 1 },
  { value: 9, color: '#ff0000', opacity: 1 },
]
const classes = {
  by: 'classes' as const,
  input: { property: 'a' },
  breaks: [3],
  values: ['#00ff00', '#ff0000'],
  otherwise: '#000000',
}
const byZoom = {
  by: 'interpolation' as const,
  input: 'zoom' as const,
  base: 1,
  stops: [
    { at: 2, value: 1 },
    { at: 18, value: 9 },
  ],
}

/** Row of the table in docs/styles.md: what a rule adds to the usual rule of its kind. */
export interface StyledFeature {
  name: string
  rules: Rule[]
  /** The same without it, where legends and thumbnails have to show a difference. */
  usual?: Symbolizer
}

function symbol(name: string, one: Symbolizer, usual?: Symbolizer): StyledFeature {
  return { name, rules: [{ symbols: [one] }], ...(usual === undefined ? {} : { usual }) }
}

function filter(name: string, condition: Expression): StyledFeature {
  return { name: `filter: ${name}`, rules: [{ condition, symbols: [area] }] }
}

/** The rows of the table of docs/styles.md. */
export const styledFeatures: StyledFeature[] = [
  symbol('area: fill', area),
  symbol('area: opacity', { kind: 'polygon', fill: { ...fill, opacity: 0.4 } }, area),
  symbol('area: outline', { kind: 'polygon', fill, stroke }, area),
  symbol(
    'area: outline of dashes',
    { kind: 'polygon', fill, stroke: { ...stroke, dashes: [4, 2] } },
    { kind: 'polygon', fill, stroke },
  ),
  symbol('line: colour, width', line),
  symbol('line: dashes', { kind: 'line', stroke: { ...stroke, dashes: [4, 2] } }, line),
  symbol('line: ends and bends', { kind: 'line', stroke: { ...stroke, cap: 'round', join: 'bevel' } }, line),
  symbol('line: offset', { ...line, offset: 3 }),
  symbol('line: width in metres', { ...line, unit: 'metre' }),
  ...markShapes.map((shape) => symbol(`mark: ${shape}`, { ...mark, shape, stroke })),
  symbol('mark: rotation', { ...mark, shape: 'square', rotation: 30 }, { ...mark, shape: 'square' }),
  symbol('icon: picture of an address', {
    kind: 'icon',
    href: 'tree.svg',
    format: 'image/svg+xml',
    size: 20,
    opacity: 1,
  }),
  symbol('label: attribute', text),
  symbol('label: texts and attributes', { ...text, label: ['No. ', { property: 'a' }] }),
  symbol('label: halo', { ...text, halo: { color: '#ff00ff', width: 2, opacity: 1 } }, text),
  symbol('label: font', { ...text, font: { family: 'Noto Serif', isBold: true } }, text),
  symbol('label: place beside a point', {
    ...text,
    placement: { at: 'point', side: 'left', height: 'bottom', right: 4, up: 2 },
  }),
  symbol('label: along a line', { ...text, placement: { at: 'line', offset: 3 } }),
  symbol('label: said again along a line', { ...text, placement: { at: 'line', offset: 0, repeat: 200 } }),
  symbol('raster: opacity', { ...raster, opacity: 0.5 }),
  symbol('raster: three bands', {
    ...raster,
    bands: { red: { band: 3 }, green: { band: 2 }, blue: { band: 1 } },
  }),
  symbol('raster: stretch of a band', {
    ...raster,
    bands: { gray: { band: 1, stretch: { min: 0, max: 90 } } },
  }),
  symbol('raster: contrast by the data', { ...raster, bands: gray, enhancement: 'normalize' }),
  ...(['ramp', 'intervals', 'values'] as const).map((type) =>
    symbol(`raster: colours by ${type}`, { ...raster, bands: gray, colors: { type, entries } }),
  ),
  symbol('value: classes or categories', { kind: 'polygon', fill: { color: classes, opacity: 1 } }),
  symbol('value: between stops by zoom', { kind: 'line', stroke: { ...stroke, width: byZoom } }),
  symbol('value: the attribute itself', { ...mark, size: { by: 'attribute', property: 'a' } }),
  filter('= <> < <= > >=', comparison('<=', 'a', 5)),
  filter('two attributes', comparison('=', 'a', { property: 'a' })),
  filter('without case', comparison('=', 't', 'xy', true)),
  filter('null', isNull('b')),
  filter('begin or end of a text', likeness('t', 'x%')),
  filter('any pattern', likeness('t', 'x_%z')),
  filter('and, or, not', negation(disjunction([isNull('a'), comparison('=', 'a', 9)]))),
  filter('feature ids', { kind: 'ids', ids: ['7'] }),
  filter('kind of geometry', hasDimension(2)),
  filter(
    'box',
    call('s_intersects', attribute('geometry'), {
      kind: 'box',
      sides: [9.99, 49.99, 10, 50.01],
      srs: 'EPSG:4326',
    }),
  ),
  { name: 'rule: scales', rules: [{ minScale: 1000, maxScale: 1e7, symbols: [area] }] },
  {
    name: 'rule: else',
    rules: [
      { condition: comparison('=', 'a', 9), symbols: [line] },
      { isElse: true, symbols: [line] },
    ],
  },
  { name: 'rule: title', rules: [{ title: 'Houses', symbols: [area] }] },
]

/** Features that filters meet and do not meet. */
export const samples = [
  { a: 1, t: 'XY', id: '7' },
  { a: 5, t: 'xyz', id: '8' },
  { a: 9, t: null, b: 1, id: '9' },
]

/** The kind of geometry that a symbol is made for. */
export const dimensions: Record<Symbolizer['kind'], Dimension> = {
  polygon: 2,
  line: 1,
  point: 0,
  icon: 0,
  text: 0,
  raster: 2,
}
