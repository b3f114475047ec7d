import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { writeStyle } from './convert-style.ts'
import { legendOf } from './draw/legend.ts'
import { legendSvg } from './draw/legend-svg.ts'
import { pathSvg } from './draw/paint.ts'
import { drawnSymbols } from './evaluate.ts'
import type { Condition, Dimension, Rule, Stroke, Style, Symbolizer } from './model.ts'
import { markShapes } from './model.ts'
import { readStyle } from './read-style.ts'
import type { StyleFormat } from './style-format.ts'

const fill = { color: '#ff0000', opacity: 1 }
const stroke: Stroke = { color: '#0000ff', width: 2, opacity: 1 }
const area: Symbolizer = { kind: 'polygon', fill }
const line: Symbolizer = { kind: 'line', stroke }
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

/** What a rule adds to one that is usual for its kind. */
interface Feature {
  name: string
  rules: Rule[]
  /** The same without it, where legends and thumbnails have to show a difference. */
  usual?: Symbolizer
}

function symbol(name: string, one: Symbolizer, usual?: Symbolizer): Feature {
  return { name, rules: [{ symbols: [one] }], ...(usual === undefined ? {} : { usual }) }
}

function filter(name: string, condition: Condition): Feature {
  return { name: `filter: ${name}`, rules: [{ condition, symbols: [area] }] }
}

const features: Feature[] = [
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
  filter('= <> < <= > >=', { op: '<=', property: 'a', value: 5 }),
  filter('two attributes', { op: '==', property: 'a', value: { property: 'a' } }),
  filter('without case', { op: '==', property: 't', value: 'xy', ignoresCase: true }),
  filter('null', { op: 'null', property: 'b' }),
  filter('begin or end of a text', { op: 'like', property: 't', pattern: 'x%' }),
  filter('any pattern', { op: 'like', property: 't', pattern: 'x_%z' }),
  filter('and, or, not', {
    op: 'not',
    condition: {
      op: 'any',
      conditions: [
        { op: 'null', property: 'a' },
        { op: '==', property: 'a', value: 9 },
      ],
    },
  }),
  filter('feature ids', { op: 'id', ids: ['7'] }),
  filter('kind of geometry', { op: 'dimension', value: 2 }),
  filter('box', { op: 'bbox', box: [0, 0, 1, 1], srs: 'EPSG:4326' }),
  { name: 'rule: scales', rules: [{ minScale: 1000, maxScale: 1e7, symbols: [area] }] },
  {
    name: 'rule: else',
    rules: [
      { condition: { op: '==', property: 'a', value: 9 }, symbols: [line] },
      { isElse: true, symbols: [line] },
    ],
  },
  { name: 'rule: title', rules: [{ title: 'Houses', symbols: [area] }] },
]

/** Features that filters meet and do not meet. */
const samples = [
  { a: 1, t: 'XY', id: '7' },
  { a: 5, t: 'xyz', id: '8' },
  { a: 9, t: null, b: 1, id: '9' },
]

function drawing(style: Style): unknown[] {
  return [100, 5000, 1e6, 1e8].flatMap((scale) =>
    samples.map(({ id, ...attributes }) => {
      const drawn = {
        dimension: 2 as const,
        id,
        get: (name: string) => (attributes as Record<string, unknown>)[name],
        boxIn: () => [5, 5, 6, 6] as [number, number, number, number],
      }
      return drawnSymbols(style, drawn, scale).map((one) =>
        JSON.stringify(one.symbol, (_, value: unknown) =>
          typeof value === 'number' ? Math.fround(value) : value,
        )
          .split('')
          .sort()
          .join(''),
      )
    }),
  )
}

/** Yes where the document says it and reads the same, told where it names what is missing; anything else is a fault. */
function byLanguage(rules: Rule[], format: StyleFormat, name: string): string {
  const style = { rules, lost: [] }
  const made = writeStyle(style, 'x', format)
  assert.ok(made !== undefined, `${name}: ${format}`)
  if (made.lost.length > 0) return 'told'
  const back = readStyle({ format, document: made.document })
  assert.deepEqual(back && drawing(back), drawing(style), `${name} is neither said as ${format} nor told`)
  assert.equal(back?.rules.at(-1)?.title ?? '', rules.at(-1)?.title ?? '', name)
  return 'yes'
}

const dimensions: Record<Symbolizer['kind'], Dimension> = {
  polygon: 2,
  line: 1,
  point: 0,
  icon: 0,
  text: 0,
  raster: 2,
}

function inLegend({ name, rules, usual }: Feature): string {
  if (/^(filter|rule: (scales|else))/.test(name)) return '–'
  const [one] = rules[0]?.symbols ?? []
  const shown = (symbols: Symbolizer[]) => {
    const legend = legendOf(
      { rules: rules.map((rule) => ({ ...rule, symbols })), lost: [] },
      { title: 'x', dimension: dimensions[one?.kind ?? 'line'] },
    )
    return { svg: legendSvg(legend).svg, messages: legend.messages }
  }
  const { svg, messages } = shown(one === undefined ? [] : [one])
  if (messages.length > 0) return 'told'
  const other = shown(usual === undefined ? [] : [usual])
  return svg === other.svg ? 'no' : 'yes'
}

function inThumbnail({ name, rules, usual }: Feature): string {
  if (/^(filter|rule)/.test(name)) return name === 'rule: title' ? '–' : 'yes'
  const [one] = rules[0]?.symbols ?? []
  if (one === undefined || one.kind === 'text') return 'no'
  if (one.kind === 'raster') return '–'
  if (one.kind === 'icon') return 'a dot'
  const paint = (painted: Symbolizer) => {
    const feature = { dimension: dimensions[painted.kind], get: () => 5 }
    const [first] = drawnSymbols({ rules: [{ symbols: [painted] }], lost: [] }, feature, 5000)
    return first === undefined ? '' : pathSvg(first.symbol, 'M0 0L9 9Z')
  }
  if (one.kind === 'line' && one.offset !== undefined) return paint(one) === paint(line) ? 'no' : 'yes'
  return usual !== undefined && one.kind !== 'point' && paint(one) === paint(usual) ? 'no' : 'yes'
}

it('the table of docs/styles.md tells which language, legend and thumbnail draws what', () => {
  const rows = features.map((feature) => {
    const { name, rules } = feature
    const languages = (['maplibre', 'sld', 'qml'] as const).map((format) => byLanguage(rules, format, name))
    return `| ${name.replaceAll('<', '&lt;')} | ${[...languages, inLegend(feature), inThumbnail(feature)].join(' | ')} |`
  })
  const table = [
    '| | MapLibre | SLD | QML | legend | thumbnail |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  const page = readFileSync('docs/styles.md', 'utf8')
  const [, found] = /which-draws-what\.test\.ts -->\n([\s\S]*?)\n?<!-- end of table/.exec(page) ?? []
  assert.equal(found?.trim(), table, `docs/styles.md says something else:\n${table}\n`)
})
