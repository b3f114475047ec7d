import { invalid } from '../../core/errors/errors.ts'
import { parseColor } from '../colors.ts'
import { hasDimension } from '../condition.ts'
import { Losses } from '../losses.ts'
import type { Fill, Stroke } from '../model.ts'
import type { StyleLanguage } from '../style-language.ts'

function parseOptions(document: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(document)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const supported = ['color', 'weight', 'opacity', 'fillColor', 'fillOpacity', 'radius']

/** Path options of Leaflet: one symbol for all features of a layer. */
export const leaflet = {
  format: 'leaflet',
  title: 'Leaflet',
  mediaTypes: ['application/vnd.leaflet.path+json'],
  extensions: ['leaflet'],
  check: (document) => {
    if (parseOptions(document) === undefined)
      throw invalid('invalid-style', 'Path options of Leaflet are a JSON object')
  },
  read: (document) => {
    const options = parseOptions(document) ?? {}
    const numberOf = (name: string, usual: number): number =>
      typeof options[name] === 'number' ? options[name] : usual
    const colorOf = (name: string, usual: string): string => parseColor(String(options[name]))?.color ?? usual
    const color = colorOf('color', '#3388ff')
    const stroke: Stroke = { color, width: numberOf('weight', 3), opacity: numberOf('opacity', 1) }
    const fill: Fill = { color: colorOf('fillColor', color), opacity: numberOf('fillOpacity', 0.2) }
    const losses = new Losses(Object.keys(options).filter((name) => !supported.includes(name)))
    return {
      rules: [
        {
          condition: hasDimension(0),
          symbols: [{ kind: 'point', shape: 'circle', size: 2 * numberOf('radius', 10), fill, stroke }],
        },
        { condition: hasDimension(1), symbols: [{ kind: 'line', stroke }] },
        { condition: hasDimension(2), symbols: [{ kind: 'polygon', fill, stroke }] },
      ],
      lost: losses.list(),
    }
  },
  write: () => undefined,
} as const satisfies StyleLanguage
