import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { roundTrip } from '../../tests/support/style-round-trip.ts'
import type { StyledFeature } from '../../tests/support/styled-features.ts'
import { dimensions, line, styledFeatures } from '../../tests/support/styled-features.ts'
import { legendOf } from './draw/legend.ts'
import { legendSvg } from './draw/legend-svg.ts'
import { pathSvg } from './draw/paint.ts'
import { drawnSymbols } from './evaluate.ts'
import { styleLanguages } from './languages.ts'
import { sqliteDialect } from './mapserver/sql-dialect.ts'
import { writeMapServer } from './mapserver/write-mapserver.ts'
import type { Rule, Symbolizer } from './model.ts'

function inLegend({ name, rules, usual }: StyledFeature): string {
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

function inThumbnail({ name, rules, usual }: StyledFeature): string {
  if (name === 'filter: box') return 'no'
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

/**
 * For features by their map file; rasters are drawn by the colours of their tiles, whatever the map file
 * contains.
 */
function inWms({ name, rules, usual }: StyledFeature): string {
  const kind = rules[0]?.symbols[0]?.kind ?? 'polygon'
  if (kind === 'raster') return 'yes'
  if (name === 'rule: title') return '–'
  if (name === 'value: between stops by zoom') return 'in steps'
  const written = (drawn: Rule[]) =>
    writeMapServer(
      { rules: drawn, lost: [] },
      {
        dialect: sqliteDialect,
        geometry: 'geom',
        dimension: dimensions[kind],
        columns: new Map([
          ['a', { column: 'a', kind: 'number' }],
          ['t', { column: 't', kind: 'text' }],
          ['b', { column: 'b', kind: 'number' }],
        ]),
      },
    )
  const { parts, lost } = written(rules)
  const other = usual === undefined ? [] : written([{ symbols: [usual] }]).parts
  return lost.length > 0 || isDeepStrictEqual(parts, other) ? 'no' : 'yes'
}

it('the table of docs/styles.md tells which language, legend, thumbnail and WMS draws what', () => {
  const rows = styledFeatures.map((feature) => {
    const { name, rules } = feature
    const languages = ['maplibre', 'sld', 'qml'].map((format) => {
      const language = styleLanguages.find((one) => one.format === format)
      assert.ok(language !== undefined)
      return roundTrip(rules, language, name)
    })
    return `| ${name.replaceAll('<', '&lt;')} | ${[...languages, inLegend(feature), inThumbnail(feature), inWms(feature)].join(' | ')} |`
  })
  const table = [
    '| | MapLibre | SLD | QML | legend | thumbnail | WMS |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  const page = readFileSync('docs/styles.md', 'utf8')
  const [, found] = /which-draws-what\.test\.ts -->\n([\s\S]*?)\n?<!-- end of table/.exec(page) ?? []
  assert.equal(found?.trim(), table, `docs/styles.md says something else:\n${table}\n`)
})
