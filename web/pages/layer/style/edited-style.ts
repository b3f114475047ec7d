/** The marks that a point can have; web maps draw each as a circle. */
export const marks = ['circle', 'square', 'triangle', 'star', 'cross', 'x'] as const
type Mark = (typeof marks)[number]

/** Geometry type of a layer, which determines the fields of a symbol. */
export type Drawn = 'points' | 'lines' | 'areas' | 'anything'

/** Lengths are pixels, the opacity is 0 to 1. */
export interface EditedSymbol {
  color: string
  opacity: number
  /** Outline colour of areas and marks; 0: none. */
  lineColor: string
  lineWidth: number
  /** Width of lines. */
  width: number
  /** Diameter of marks. */
  size: number
  mark: Mark
}

export type CategoryValue = string | number | boolean

interface EditedClass {
  /** Largest value of the class; unused for the last class. */
  upper: number
  color: string
  /** Text of the legend, if it is not derived from the limits. */
  title?: string
}

interface EditedCategory {
  value: CategoryValue
  color: string
  title?: string
}

export interface EditedLabel {
  column: string
  size: number
  color: string
  haloColor: string
  /** 0: none. */
  haloWidth: number
}

export const modes = ['one', 'categories', 'classes'] as const
export type Mode = (typeof modes)[number]

/** A style as the editor has it. */
export interface EditedStyle {
  mode: Mode
  symbol: EditedSymbol
  /** Classified column. */
  column?: string
  classes: EditedClass[]
  categories: EditedCategory[]
  /** Colour of what is none of the categories; undefined: not drawn. */
  others?: string
  /** Colour of what has no value; undefined: not drawn. */
  none?: string
  label?: EditedLabel
}

export const usualSymbol: EditedSymbol = {
  color: '#2b8490',
  opacity: 0.85,
  lineColor: '#ffffff',
  lineWidth: 0.75,
  width: 2,
  size: 9,
  mark: 'circle',
}

/** Returns the geometry type from the Java class in REST responses. */
export function drawnOf(attributes: readonly { binding: string }[]): Drawn | undefined {
  const type = attributes.flatMap(({ binding }) => /\.geom\.(\w+)$/.exec(binding)?.[1] ?? [])[0]
  if (type === undefined) return undefined
  if (/Point$/.test(type)) return 'points'
  if (/(?:LineString|Curve)$/.test(type)) return 'lines'
  return /(?:Polygon|Surface)$/.test(type) ? 'areas' : 'anything'
}

/** True if a column is numeric, so that limits can be set. */
export function isNumber(binding: string): boolean {
  return /\.(?:Short|Integer|Long|Float|Double|BigDecimal|BigInteger)$/.test(binding)
}

/** True if tiles encode the column's numbers as texts. */
export function isNumberText(binding: string): boolean {
  return /\.Big(?:Decimal|Integer)$/.test(binding)
}

/** Returns the default title of a class; the same in every language. */
export function classTitle(classes: readonly EditedClass[], index: number): string {
  const [lower, upper] = [classes[index - 1]?.upper, classes[index]?.upper]
  const isLast = index === classes.length - 1
  if (lower === undefined) return isLast ? '' : `≤ ${shortNumber(upper ?? 0)}`
  return isLast ? `> ${shortNumber(lower)}` : `${shortNumber(lower)} – ${shortNumber(upper ?? 0)}`
}

export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(6)))
}
