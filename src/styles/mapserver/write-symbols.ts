import type { Losses } from '../losses.ts'
import type {
  Dimension,
  Fill,
  LineCap,
  LineJoin,
  MarkSymbolizer,
  Placement,
  Stroke,
  Symbolizer,
  TextSymbolizer,
  Value,
} from '../model.ts'
import { colorText, fontName, mapFileNumber, quoteMapText } from './mark-symbols.ts'
import type { ConditionTable } from './write-condition.ts'
import { textSql } from './write-condition.ts'

/** Columns of a drawing query, under names that this module chooses. */
export class DrawnColumns {
  readonly #names = new Map<string, string>()

  /** Returns the column name of an SQL expression; the same name for the same expression. */
  take(sql: string): string {
    const known = this.#names.get(sql)
    if (known !== undefined) return known
    const name = `c${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }

  get size(): number {
    return this.#names.size
  }

  /** Returns the column list of a SELECT, each with its name. */
  list(): string[] {
    return [...this.#names].map(([sql, name]) => `${sql} AS ${name}`)
  }
}

/** Table of the symbols. */
export interface SymbolTable extends ConditionTable {
  shown: DrawnColumns
  losses: Losses
  /** Dimension of the features that the layer of the map file draws. */
  dimension: Dimension
  /** True if labels that the edge of the picture would cut are omitted. */
  hasWholeLabels?: boolean
}

/** Context for writing sizes, widths and angles, which may be attributes. */
type DrivenValues = Pick<SymbolTable, 'columns' | 'dialect' | 'shown'>

const caps: Record<LineCap, string> = { butt: 'BUTT', round: 'ROUND', square: 'SQUARE' }
const joins: Record<LineJoin, string> = { bevel: 'BEVEL', round: 'ROUND', miter: 'MITER' }
/** Text sizes are in points of 1/72 inch, lengths in pixels of 1/96 inch. */
const pointsOfPixel = 0.75

/** Writes the STYLE and LABEL blocks of a symbol (MapServer 8.0, Mapfile reference). */
export function symbolBlocks(symbol: Symbolizer, table: SymbolTable): string[] {
  switch (symbol.kind) {
    case 'point':
      return markBlocks(symbol, table)
    case 'line':
      return strokeBlocks(symbol.stroke, table, symbol.offset)
    case 'polygon':
      return table.dimension === 2
        ? [...fillBlocks(symbol.fill, table), ...strokeBlocks(symbol.stroke, table)]
        : strokeBlocks(table.dimension === 1 ? symbol.stroke : undefined, table)
    case 'text':
      return [textBlock(symbol, table)]
    case 'icon':
      table.losses.add('pictures from elsewhere, which are not fetched')
      return []
    case 'raster':
      return []
  }
}

function markBlocks({ shape, size, fill, stroke, rotation }: MarkSymbolizer, table: SymbolTable): string[] {
  if (fill === undefined && stroke === undefined) return []
  const place = table.dimension === 0 ? '' : 'GEOMTRANSFORM "centroid"'
  const parts = [
    `SYMBOL "${shape}"`,
    `SIZE ${amount(size, table)}`,
    place,
    rotation === undefined ? '' : `ANGLE ${amount(rotation, table, -1)}`,
    ...(fill === undefined ? [] : colorWords('COLOR', fill, table)),
    ...(stroke === undefined
      ? []
      : [...colorWords('OUTLINECOLOR', stroke, table), `WIDTH ${amount(stroke.width, table)}`]),
  ]
  return [block('STYLE', parts)]
}

function fillBlocks(fill: Fill | undefined, table: SymbolTable): string[] {
  return fill === undefined ? [] : [block('STYLE', colorWords('COLOR', fill, table))]
}

function strokeBlocks(stroke: Stroke | undefined, table: SymbolTable, offset?: Value<number>): string[] {
  if (stroke === undefined || table.dimension === 0) return []
  const { width, dashes, cap, join } = stroke
  const parts = [
    ...colorWords(table.dimension === 2 ? 'OUTLINECOLOR' : 'COLOR', stroke, table),
    `WIDTH ${amount(width, table)}`,
    `LINECAP ${caps[cap ?? 'butt']}`,
    `LINEJOIN ${joins[join ?? 'miter']}`,
    dashes === undefined || dashes.length === 0
      ? ''
      : `PATTERN ${patternOf(dashes, table.losses).map(mapFileNumber).join(' ')} END`,
    offset === undefined || offset === 0 ? '' : `OFFSET ${amount(offset, table, -1)} -99`,
  ]
  return [block('STYLE', parts)]
}

/** Maximum number of values of a PATTERN in MapServer. */
const maxDashes = 10

function patternOf(dashes: number[], losses: Losses): number[] {
  const pattern = evenly(dashes)
  if (pattern.length > maxDashes) losses.add(`dashes after the first ${maxDashes}`)
  return pattern.slice(0, maxDashes)
}

/** Repeats an odd number of dashes, as SVG does. */
function evenly(dashes: number[]): number[] {
  return dashes.length % 2 === 0 ? dashes : [...dashes, ...dashes]
}

function textBlock(symbol: TextSymbolizer, table: SymbolTable): string {
  const { label, size, color, opacity, halo, placement } = symbol
  const pieces = label.map((part) => {
    if (typeof part === 'string') return table.dialect.text(part)
    const found = table.columns.get(part.property)
    return found === undefined ? "''" : `coalesce(${textSql(found, table.dialect)}, '')`
  })
  const name = table.shown.take(pieces.length === 0 ? "''" : pieces.join(' || '))
  const haloWords =
    halo === undefined
      ? []
      : [...colorWords('OUTLINECOLOR', halo, table), `OUTLINEWIDTH ${wholeWidth(halo.width, table)}`]
  return block('LABEL', [
    `TEXT "[${name}]"`,
    `FONT ${quoteMapText(fontName)}`,
    `SIZE ${amount(size, table, pointsOfPixel)}`,
    ...colorWords('COLOR', { color, opacity }, table),
    ...haloWords,
    ...placementWords(placement, table),
    ...[
      'MINFEATURESIZE AUTO',
      'MAXOVERLAPANGLE 30',
      table.hasWholeLabels === true ? 'PARTIALS FALSE' : 'PARTIALS TRUE',
    ].slice(placement?.at === 'line' ? 1 : 2),
  ])
}

/** Doubles the width of a halo, which is on both sides. */
function wholeWidth(width: Value<number>, table: DrivenValues): string {
  return typeof width === 'number' ? mapFileNumber(Math.max(1, width * 2)) : amount(width, table, 2)
}

/** Writes the offset: away from the point on the side of the text, otherwise right and down. */
function offsetWords({ side, height, right, up }: Extract<Placement, { at: 'point' }>): string {
  const [x, y] = [side === 'right' ? -right : right, height === 'bottom' ? up : -up]
  return `OFFSET ${mapFileNumber(Math.round(x))} ${mapFileNumber(Math.round(y))}`
}

const letters = { left: 'r', center: 'c', right: 'l' } as const
const heights = { top: 'l', middle: 'c', bottom: 'u' } as const

function placementWords(placement: Placement | undefined, table: DrivenValues): string[] {
  if (placement === undefined) return ['POSITION CC']
  if (placement.at === 'line') {
    const { offset, repeat } = placement
    return [
      'ANGLE FOLLOW',
      offset === 0 ? '' : `OFFSET ${mapFileNumber(-offset)} -99`,
      repeat === undefined ? '' : `REPEATDISTANCE ${mapFileNumber(Math.max(1, repeat))}`,
    ]
  }
  const { side, height, right, up, rotation } = placement
  return [
    `POSITION ${heights[height]}${letters[side]}`.toUpperCase(),
    right === 0 && up === 0 ? '' : offsetWords(placement),
    rotation === undefined ? '' : `ANGLE ${amount(rotation, table, -1)}`,
  ]
}

/** Writes a colour with its opacity; if either is an attribute, the opacity is separate. */
function colorWords(word: string, { color, opacity }: Fill, table: SymbolTable): string[] {
  if (typeof color === 'string' && typeof opacity === 'number')
    return [`${word} ${colorText(color, opacity)}`]
  if (typeof opacity !== 'number') table.losses.add('opacities that are an attribute')
  const share = typeof opacity === 'number' ? [`OPACITY ${mapFileNumber(opacity * 100)}`] : []
  if (typeof color === 'string') return [`${word} ${colorText(color, 1)}`]
  const found = color.by === 'attribute' ? table.columns.get(color.property) : undefined
  if (found?.kind !== 'text') return [`${word} ${colorText('#000000', 1)}`]
  return [`${word} [${table.shown.take(table.dialect.name(found.column))}]`, ...share]
}

/** Writes a length or angle multiplied by `times`. The query calculates that of an attribute. */
function amount(value: Value<number>, table: DrivenValues, times = 1): string {
  if (typeof value === 'number') return mapFileNumber(value * times)
  const found = value.by === 'attribute' ? table.columns.get(value.property) : undefined
  if (found === undefined || (found.kind !== 'number' && found.kind !== 'text')) return '0'
  const name = table.dialect.name(found.column)
  const number = found.kind === 'number' ? name : table.dialect.numberOfText(name)
  return `[${table.shown.take(`coalesce(${number}, 0) * ${mapFileNumber(times)}`)}]`
}

function block(name: string, parts: string[]): string {
  return `${name} ${parts.filter((part) => part !== '').join(' ')} END`
}
