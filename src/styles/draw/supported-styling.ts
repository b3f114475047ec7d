import type { Expression } from '../../filters/expression.ts'
import type { StyleCondition } from '../condition.ts'
import { getCondition } from '../condition.ts'
import type { Style, Symbolizer } from '../model.ts'

/** Degree to which an image shows a part of a style. */
type Shown = 'yes' | 'partly' | 'no'

/** One feature of styles, and how legends and thumbnails draw it. */
interface DrawnThing {
  what: string
  legend: Shown
  thumbnail: Shown
  /** Replacement if it is not drawn. */
  instead?: string
  /** True if a style uses it. */
  isIn(style: Style): boolean
}

function hasSymbol(test: (symbol: Symbolizer) => boolean): (style: Style) => boolean {
  return ({ rules }) => rules.some(({ symbols }) => symbols.some(test))
}

function holds(value: unknown, test: (inner: Record<string, unknown>) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false
  return test(value as Record<string, unknown>) || Object.values(value).some((inner) => holds(inner, test))
}

function hasCondition(test: (condition: StyleCondition) => boolean): (style: Style) => boolean {
  const meets = (expression: Expression): boolean => {
    const condition = getCondition(expression)
    if (test(condition)) return true
    if (condition.op === 'not') return meets(condition.condition)
    return 'conditions' in condition && condition.conditions.some(meets)
  }
  return ({ rules }) => rules.some(({ condition }) => condition !== undefined && meets(condition))
}

/** Features of styles that legends and thumbnails draw; `docs/pictures.md` has the same table. */
export const drawnThings: readonly DrawnThing[] = [
  { what: 'marks, lines and areas', legend: 'yes', thumbnail: 'yes', isIn: () => false },
  { what: 'dashes, caps and joins of lines', legend: 'yes', thumbnail: 'yes', isIn: () => false },
  { what: 'lengths in metres on the ground', legend: 'yes', thumbnail: 'yes', isIn: () => false },
  {
    what: 'classes, categories and stops of an attribute',
    legend: 'yes',
    thumbnail: 'yes',
    isIn: () => false,
  },
  {
    what: 'values that are the attribute itself',
    legend: 'partly',
    thumbnail: 'yes',
    instead: 'the legend shows one value',
    isIn: (style) => holds(style.rules, ({ by }) => by === 'attribute'),
  },
  {
    what: 'values that change with the zoom',
    legend: 'partly',
    thumbnail: 'yes',
    instead: 'the legend shows the one of zoom 14, or of the nearest that the rule draws at',
    isIn: (style) => holds(style.rules, ({ input }) => input === 'zoom'),
  },
  { what: 'scales of rules', legend: 'yes', thumbnail: 'yes', isIn: () => false },
  {
    what: 'filters by attributes and by kind of geometry',
    legend: 'yes',
    thumbnail: 'yes',
    isIn: () => false,
  },
  {
    what: 'filters by a box',
    legend: 'yes',
    thumbnail: 'no',
    instead: 'thumbnails draw what is outside the box too',
    isIn: hasCondition(({ op }) => op === 'box'),
  },
  {
    what: 'labels',
    legend: 'partly',
    thumbnail: 'no',
    instead: 'the legend shows their letters, thumbnails nothing',
    isIn: hasSymbol(({ kind }) => kind === 'text'),
  },
  {
    what: 'pictures from elsewhere',
    legend: 'no',
    thumbnail: 'no',
    instead: 'they are not fetched: the legend shows a frame, thumbnails a dot',
    isIn: hasSymbol(({ kind }) => kind === 'icon'),
  },
  {
    what: 'lines beside the geometry',
    legend: 'no',
    thumbnail: 'no',
    instead: 'they are drawn on the geometry',
    isIn: hasSymbol((symbol) => symbol.kind === 'line' && symbol.offset !== undefined && symbol.offset !== 0),
  },
  {
    what: 'marks on lines and areas',
    legend: 'yes',
    thumbnail: 'partly',
    instead: 'thumbnails put one in the middle of what lies in a tile',
    isIn: (style) =>
      style.rules.some(({ symbols, condition: expression }) => {
        const condition = expression && getCondition(expression)
        const isExtended = condition?.op === 'dimension' && condition.value > 0
        return isExtended && symbols.some(({ kind }) => kind === 'point')
      }),
  },
  { what: 'colours, stretch and bands of rasters', legend: 'yes', thumbnail: 'yes', isIn: () => false },
  {
    what: 'contrast by the histogram of rasters',
    legend: 'no',
    thumbnail: 'yes',
    instead: 'the legend shows values spread evenly',
    isIn: hasSymbol((symbol) => symbol.kind === 'raster' && symbol.enhancement === 'histogram'),
  },
]

/** Lists the parts of a style that legends or thumbnails do not draw exactly. */
export function notInPictures(style: Style): string[] {
  return drawnThings.flatMap(({ what, instead, isIn }) =>
    instead !== undefined && isIn(style) ? [`${what}: ${instead}`] : [],
  )
}
