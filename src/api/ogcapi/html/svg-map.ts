import type { FeatureDocument, Shape } from './documents.ts'
import type { Markup } from './markup.ts'
import { html } from './markup.ts'

type Point = readonly [number, number]

interface Bounds {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

const width = 960
const height = 480
const margin = 16
const maxPoints = 60_000

/** Features in longitude and latitude as a picture; undefined where none has a place. */
export function drawFeatures(features: readonly FeatureDocument[], label: string): Markup | undefined {
  const shapes = features.flatMap(({ geometry }) => (geometry === null ? [] : partsOf(geometry)))
  const bounds = boundsOf(shapes)
  if (bounds === undefined) return undefined
  const place = placing(bounds)
  const drawn = shapes.map((shape) => draw(shape, place))
  return html`<svg class="drawn" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${drawn}</svg>`
}

/** A part of a geometry: a point, a line, or the rings of a polygon. */
interface Drawable {
  kind: 'point' | 'line' | 'area'
  lines: Point[][]
}

function partsOf(shape: Shape): Drawable[] {
  const { type, geometries = [] } = shape
  if (type === 'GeometryCollection') return geometries.flatMap(partsOf)
  const parts = type.startsWith('Multi') ? listOf(shape.coordinates) : [shape.coordinates]
  const line = (positions: unknown): Point[] => listOf(positions).flatMap(pointOf)
  if (type.endsWith('Point')) return parts.map((one) => ({ kind: 'point', lines: [pointOf(one)] }))
  if (type.endsWith('LineString')) return parts.map((one) => ({ kind: 'line', lines: [line(one)] }))
  return parts.map((one) => ({ kind: 'area', lines: listOf(one).map(line) }))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function pointOf(position: unknown): Point[] {
  const [x, y] = listOf(position)
  return typeof x === 'number' && typeof y === 'number' ? [[x, y]] : []
}

function boundsOf(shapes: readonly Drawable[]): Bounds | undefined {
  const bounds = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity }
  let count = 0
  for (const { lines } of shapes)
    for (const line of lines)
      for (const [x, y] of line) {
        count += 1
        if (count > maxPoints) return undefined
        bounds.minX = Math.min(bounds.minX, x)
        bounds.minY = Math.min(bounds.minY, y)
        bounds.maxX = Math.max(bounds.maxX, x)
        bounds.maxY = Math.max(bounds.maxY, y)
      }
  return count === 0 ? undefined : bounds
}

/** Centers the bounds in the image; scales longitudes by their latitude. */
function placing({ minX, minY, maxX, maxY }: Bounds): (point: Point) => string {
  const isGeographic = minX >= -360 && maxX <= 360 && minY >= -90 && maxY <= 90
  const squeeze = isGeographic ? Math.max(0.15, Math.cos((((minY + maxY) / 2) * Math.PI) / 180)) : 1
  const [wide, high] = [Math.max((maxX - minX) * squeeze, 1e-9), Math.max(maxY - minY, 1e-9)]
  const isPoint = maxX === minX && maxY === minY
  const scale = isPoint ? 1 : Math.min((width - 2 * margin) / wide, (height - 2 * margin) / high)
  const [middleX, middleY] = [(minX + maxX) / 2, (minY + maxY) / 2]
  const digits = (value: number): string => String(Math.round(value * 10) / 10)
  return ([x, y]) =>
    `${digits(width / 2 + (x - middleX) * squeeze * scale)} ${digits(height / 2 - (y - middleY) * scale)}`
}

function draw({ kind, lines }: Drawable, place: (point: Point) => string): Markup | false {
  const [first] = lines[0] ?? []
  if (first === undefined) return false
  if (kind === 'point') {
    const [x = '', y = ''] = place(first).split(' ')
    return html`<circle class="m-pt" cx="${x}" cy="${y}" r="4"/>`
  }
  const end = kind === 'area' ? 'Z' : ''
  const path = lines.map((line) => `M${line.map(place).join('L')}${end}`).join('')
  return kind === 'area'
    ? html`<path class="m-data" fill-rule="evenodd" d="${path}"/>`
    : html`<path class="m-line" d="${path}"/>`
}
