import { isDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Dimension, LengthUnit, MarkShape, Stroke, Symbolizer, Value } from '../model.ts'
import { attributes } from '../style-xml.ts'
import { qgisColor, unitName } from './units.ts'

/** QGIS's symbol types, by dimension. */
const symbolTypes = ['marker', 'line', 'fill'] as const

const shapeNames: Record<MarkShape, string> = {
  circle: 'circle',
  square: 'square',
  triangle: 'triangle',
  star: 'star',
  cross: 'cross_fill',
  x: 'cross2',
}

/** Writes one QGIS symbol with a layer per symbolizer; undefined if none can be expressed. */
export function writeSymbol(
  symbols: Symbolizer[],
  { name, dimension, pass }: { name: number; dimension: Dimension; pass: number },
  losses: Losses,
): string | undefined {
  const layers = symbols.flatMap((symbol) => writeLayer(symbol, dimension, losses) ?? [])
  if (layers.length === 0) return undefined
  const content = layers.map(
    ({ className, settings }) =>
      `<layer class="${className}" enabled="1" locked="0" pass="${pass}">${options(settings)}</layer>`,
  )
  return `<symbol type="${symbolTypes[dimension]}" name="${name}" alpha="1" clip_to_extent="1" force_rhr="0">${content.join('')}</symbol>`
}

type Settings = Record<string, string | number | undefined>

/** Writes settings twice: QGIS reads `Option` since 3.18, and `prop` before. */
function options(settings: Settings): string {
  const known = Object.entries(settings).filter(([, value]) => value !== undefined)
  const newer = known.map(([name, value]) => `<Option${attributes({ type: 'QString', name, value })}/>`)
  const older = known.map(([name, value]) => `<prop${attributes({ k: name, v: value })}/>`)
  return `<Option type="Map">${newer.join('')}</Option>${older.join('')}`
}

function writeLayer(
  symbol: Symbolizer,
  dimension: Dimension,
  losses: Losses,
): { className: string; settings: Settings } | undefined {
  switch (symbol.kind) {
    case 'polygon':
      return dimension === 2
        ? { className: 'SimpleFill', settings: fillSettings(symbol, losses) }
        : losses.add('an area of a layer of lines or points')
    case 'line':
      return dimension === 0
        ? losses.add('a line of a layer of points')
        : { className: 'SimpleLine', settings: lineSettings(symbol, losses) }
    case 'point':
      return dimension === 0
        ? { className: 'SimpleMarker', settings: markSettings(symbol, losses) }
        : losses.add('a mark in the middle of lines or areas')
    case 'icon':
      return dimension === 0
        ? { className: 'SvgMarker', settings: iconSettings(symbol, losses) }
        : losses.add('a picture in the middle of lines or areas')
    default:
      return undefined
  }
}

/** Returns the constant; records an attribute value as a loss. */
function plain<T extends string | number>(value: Value<T>, usual: T, losses: Losses): T {
  if (!isDriven(value)) return value
  losses.add('a value that is an attribute itself')
  return usual
}

function color(paint: { color: Value<string>; opacity: Value<number> }, losses: Losses): string {
  return qgisColor(plain(paint.color, '#000000', losses), plain(paint.opacity, 1, losses))
}

function outlineSettings(stroke: Stroke | undefined, unit: LengthUnit | undefined, losses: Losses): Settings {
  if (stroke === undefined) return { outline_style: 'no' }
  const { dashes, cap } = stroke
  const isDashed = dashes !== undefined
  return {
    outline_color: color(stroke, losses),
    outline_style: isDashed ? penStyle(dashes, losses) : 'solid',
    outline_width: plain(stroke.width, 1, losses),
    outline_width_unit: unitName(unit),
    joinstyle: stroke.join,
    cap_style: cap === 'butt' ? 'flat' : cap,
  }
}

/** Returns the closest pen style of QGIS: outlines have only predefined patterns. */
function penStyle(dashes: number[], losses: Losses): string {
  losses.add('the lengths of the dashes of an outline')
  return dashes.length > 2 ? 'dash dot' : 'dash'
}

function fillSettings(
  { fill, stroke, unit }: Extract<Symbolizer, { kind: 'polygon' }>,
  losses: Losses,
): Settings {
  return {
    ...(fill === undefined
      ? { style: 'no', color: '0,0,0,255' }
      : { style: 'solid', color: color(fill, losses) }),
    ...outlineSettings(stroke, unit, losses),
  }
}

function lineSettings(
  { stroke, offset, unit }: Extract<Symbolizer, { kind: 'line' }>,
  losses: Losses,
): Settings {
  const { dashes, cap } = stroke
  const custom =
    dashes === undefined
      ? { use_customdash: 0 }
      : { use_customdash: 1, customdash: evenDashes(dashes).join(';'), customdash_unit: unitName(unit) }
  return {
    line_color: color(stroke, losses),
    line_style: 'solid',
    line_width: plain(stroke.width, 1, losses),
    line_width_unit: unitName(unit),
    ...custom,
    capstyle: cap === 'butt' ? 'flat' : cap,
    joinstyle: stroke.join,
    ...(offset === undefined ? {} : { offset: plain(offset, 0, losses), offset_unit: unitName(unit) }),
  }
}

/** Repeats an odd number of dashes, as SVG does. */
function evenDashes(dashes: number[]): number[] {
  return dashes.length % 2 === 0 ? dashes : [...dashes, ...dashes]
}

function markSettings(symbol: Extract<Symbolizer, { kind: 'point' }>, losses: Losses): Settings {
  const { shape, size, fill, stroke, rotation = 0, unit } = symbol
  if (shape === 'x' && fill !== undefined) losses.add('the fill of the mark x, whose lines QGIS draws alone')
  const lines = shape === 'x' && fill !== undefined ? { ...fill, width: 1, ...stroke } : stroke
  const faded = fill ?? { color: '#000000', opacity: 0 }
  return {
    name: shapeNames[shape],
    color: color(faded, losses),
    angle: plain(rotation, 0, losses),
    size: plain(size, 6, losses),
    size_unit: unitName(unit),
    scale_method: 'diameter',
    ...outlineSettings(lines, unit, losses),
  }
}

function iconSettings(
  { href, size = 16, rotation = 0, unit, opacity }: Extract<Symbolizer, { kind: 'icon' }>,
  losses: Losses,
): Settings {
  if (plain(opacity, 1, losses) !== 1) losses.add('the opacity of a picture')
  return {
    name: href,
    angle: plain(rotation, 0, losses),
    size: plain(size, 16, losses),
    size_unit: unitName(unit),
  }
}
