import type { PlainSymbolizer, Style } from '../../styles/index.ts'
import { drawnSymbols, markSvg, passOf, pathSvg, svgElement, svgNumber } from '../../styles/worker.ts'
import type { PictureFormat } from './encode-picture.ts'
import type { DecodedFeature } from './read-features.ts'
import { readFeatures } from './read-features.ts'

/** A tile and the position of its upper left corner in the image. */
interface PlacedTile {
  /** A vector tile, gzipped, or a picture. */
  bytes: Uint8Array
  left: number
  top: number
}

/** A small picture of a layer. Plain data. */
export interface ThumbnailDrawing {
  width: number
  height: number
  format: PictureFormat
  /** Width of each tile in pixels. */
  size: number
  tiles: PlacedTile[]
  /** Absent: the tiles are pictures. */
  style?: Style
  /** Scale denominator at which the style draws. */
  scale: number
}

const background = '#f3f5f7'
const frame = '#c5ccd3'
/** Symbol for external images, which are not fetched. */
const stand: PlainSymbolizer = {
  kind: 'point',
  shape: 'circle',
  size: 6,
  fill: { color: '#5f6b76', opacity: 1 },
  stroke: { color: '#ffffff', opacity: 1, width: 1 },
}
/** Maximum number of characters of SVG in one image; the rest is omitted. */
const maxLetters = 24 << 20

interface Layers {
  /** For each pass of the style: shapes clipped to their tile, and marks that may extend beyond it. */
  passes: Map<number, { clipped: string[]; marks: string[] }>
  letters: number
}

function layerOf({ passes }: Layers, pass: number) {
  const known = passes.get(pass)
  if (known !== undefined) return known
  const made = { clipped: [], marks: [] }
  passes.set(pass, made)
  return made
}

interface TileExtent {
  left: number
  top: number
  factor: number
  extent: number
}

function pathOf({ parts, dimension }: DecodedFeature, { left, top, factor }: TileExtent): string {
  const close = dimension === 2 ? 'Z' : ''
  const lines = parts.map((part) => {
    const points = part.map(({ x, y }) => `${svgNumber(left + x * factor)} ${svgNumber(top + y * factor)}`)
    return points.length < 2 ? '' : `M${points.join('L')}${close}`
  })
  return lines.join('')
}

/** Returns the positions of a mark: at each point, or in the middle of the part in this tile. */
function anchorsOf({ parts, dimension }: DecodedFeature): { x: number; y: number }[] {
  if (dimension === 0) return parts.flat()
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of parts.flat()) {
    minX = Math.min(minX, x)
    minY = Math.min(minY, y)
    maxX = Math.max(maxX, x)
    maxY = Math.max(maxY, y)
  }
  return Number.isFinite(minX) ? [{ x: (minX + maxX) / 2, y: (minY + maxY) / 2 }] : []
}

function symbolSvg(
  symbol: PlainSymbolizer,
  feature: DecodedFeature,
  place: TileExtent,
): { clipped?: string; marks?: string } {
  if (symbol.kind === 'line' || symbol.kind === 'polygon') {
    const isArea = symbol.kind === 'polygon' && feature.dimension < 2
    return feature.dimension === 0 || isArea ? {} : { clipped: pathSvg(symbol, pathOf(feature, place)) }
  }
  const mark = symbol.kind === 'icon' ? stand : symbol
  if (mark.kind !== 'point') return {}
  const inside = anchorsOf(feature).filter(
    ({ x, y }) => x >= 0 && y >= 0 && x < place.extent && y < place.extent,
  )
  const { left, top, factor } = place
  return { marks: inside.map(({ x, y }) => markSvg(mark, left + x * factor, top + y * factor)).join('') }
}

function addTile(
  layers: Layers,
  tile: PlacedTile,
  style: Style,
  { size, scale }: ThumbnailDrawing,
  index: number,
): void {
  const inTile = new Map<number, string[]>()
  for (const feature of readFeatures(tile.bytes)) {
    if (layers.letters > maxLetters) break
    const { dimension, properties, id } = feature
    const drawn = {
      dimension,
      get: (name: string): unknown => (Object.hasOwn(properties, name) ? properties[name] : undefined),
      id,
    }
    const place = { ...tile, factor: size / feature.extent, extent: feature.extent }
    for (const { rule, symbol } of drawnSymbols(style, drawn, scale)) {
      const { clipped, marks } = symbolSvg(symbol, feature, place)
      const pass = passOf(rule)
      if (marks !== undefined) layerOf(layers, pass).marks.push(marks)
      if (clipped !== undefined) inTile.set(pass, pushed(inTile.get(pass), clipped))
      layers.letters += (clipped ?? marks ?? '').length
    }
  }
  for (const [pass, parts] of inTile)
    layerOf(layers, pass).clipped.push(svgElement('g', { 'clip-path': `url(#tile${index})` }, parts.join('')))
}

function pushed(list: string[] | undefined, one: string): string[] {
  if (list === undefined) return [one]
  list.push(one)
  return list
}

function featuresSvg(drawing: ThumbnailDrawing, style: Style): string {
  const layers: Layers = { passes: new Map(), letters: 0 }
  for (const [index, tile] of drawing.tiles.entries()) addTile(layers, tile, style, drawing, index)
  const clips = drawing.tiles.map(({ left, top }, index) => {
    const square = svgElement('rect', { x: left, y: top, width: drawing.size, height: drawing.size })
    return svgElement('clipPath', { id: `tile${index}` }, square)
  })
  const drawn = [...layers.passes].sort(([a], [b]) => a - b)
  const parts = drawn.flatMap(([, { clipped, marks }]) => [...clipped, ...marks])
  return `<defs>${clips.join('')}</defs>${parts.join('')}`
}

function picturesSvg({ tiles, size }: ThumbnailDrawing): string {
  return tiles
    .map(({ bytes, left, top }) => {
      const href = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
      return svgElement('image', { x: left, y: top, width: size, height: size, href })
    })
    .join('')
}

/** Returns a frame, for a layer without features. */
function emptySvg({ width, height }: ThumbnailDrawing): string {
  const inset = Math.round(Math.min(width, height) * 0.18)
  return svgElement('rect', {
    x: inset,
    y: inset,
    width: width - 2 * inset,
    height: height - 2 * inset,
    rx: 6,
    fill: 'none',
    stroke: frame,
    'stroke-width': 2,
    'stroke-dasharray': '6 6',
  })
}

/** Returns the thumbnail as SVG. */
export function thumbnailSvg(drawing: ThumbnailDrawing): string {
  const { width, height, style, tiles } = drawing
  const drawn = style === undefined ? picturesSvg(drawing) : featuresSvg(drawing, style)
  const ground = svgElement('rect', { width, height, fill: background })
  const edge = svgElement('rect', {
    x: 0.5,
    y: 0.5,
    width: width - 1,
    height: height - 1,
    fill: 'none',
    stroke: '#00000014',
  })
  const head = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`
  const content = tiles.length === 0 ? emptySvg(drawing) : drawn
  return `<svg ${head} viewBox="0 0 ${width} ${height}">${ground}${content}${edge}</svg>`
}
