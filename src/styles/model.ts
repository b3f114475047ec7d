import type { Expression } from '../filters/expression.ts'

/**
 * A style, independent of its language: SLD, QML and MapLibre are read into this model and written from it.
 * Colours are `#rrggbb`, opacities 0 to 1, lengths pixels of 1/96 inch unless a symbol names another unit,
 * angles degrees clockwise, scales denominators with OGC's pixel of 0.28 mm. Absent parts are not drawn, or
 * have their default.
 */

export type Literal = string | number | boolean

/** The attribute of a feature. */
export interface StyleAttribute {
  property: string
}

/** Input of a computed value. */
export type Input = StyleAttribute | 'zoom'

/** A value that is computed from the feature or the zoom. */
export type Driven<T> =
  /** The attribute's own value. */
  | { by: 'attribute'; property: string }
  /**
   * `values[i]` below `breaks[i]`, the last one from the last break on; there is one value more than breaks,
   * which ascend. `otherwise`, here and below: for a feature whose attribute is not a number; absent: the
   * first value.
   */
  | { by: 'classes'; input: Input; breaks: number[]; values: T[]; otherwise?: T }
  | { by: 'categories'; property: string; categories: { values: Literal[]; value: T }[]; otherwise: T }
  /**
   * Between two stops by `((x - a) / (b - a))`, or for a base other than 1 by the same of `base ** x`;
   * constant beyond the ends.
   */
  | { by: 'interpolation'; input: Input; base: number; stops: { at: number; value: T }[]; otherwise?: T }

/** A constant, or a computed value. */
export type Value<T> = T | Driven<T>

/** 0 points, 1 lines, 2 areas. */
export type Dimension = 0 | 1 | 2

/** The shapes of marks. */
export const markShapes = ['circle', 'square', 'triangle', 'star', 'cross', 'x'] as const
/** One of `markShapes`. */
export type MarkShape = (typeof markShapes)[number]

/** Line caps. */
export const lineCaps = ['butt', 'round', 'square'] as const
/** One of `lineCaps`. */
export type LineCap = (typeof lineCaps)[number]
/** Line joins. */
export const lineJoins = ['bevel', 'round', 'miter'] as const
/** One of `lineJoins`. */
export type LineJoin = (typeof lineJoins)[number]

/** `Color` and `Amount` are plain in a symbol that is ready to be drawn, else they may be driven. */
export interface Stroke<Color = Value<string>, Amount = Value<number>> {
  color: Color
  width: Amount
  opacity: Amount
  dashes?: number[]
  cap?: LineCap
  join?: LineJoin
}

/** Fill of a polygon or a mark. */
export interface Fill<Color = Value<string>, Amount = Value<number>> {
  color: Color
  opacity: Amount
}

/** Lengths of a symbol are pixels, or metres on the ground, which grow with the zoom. */
export type LengthUnit = 'pixel' | 'metre'

interface Measured {
  /** Absent: pixels. */
  unit?: LengthUnit
}

/** A shape at a point, or in the middle of a line or area. */
export interface MarkSymbolizer<Color = Value<string>, Amount = Value<number>> extends Measured {
  kind: 'point'
  shape: MarkShape
  /** Diameter or side. */
  size: Amount
  fill?: Fill<Color, Amount>
  stroke?: Stroke<Color, Amount>
  rotation?: Amount
}

/** An external picture at a point. The server never fetches it. */
interface IconSymbolizer<Amount = Value<number>> extends Measured {
  kind: 'icon'
  href: string
  /** Media type, if specified. */
  format?: string
  /** Height; absent: that of the picture. */
  size?: Amount
  opacity: Amount
  rotation?: Amount
}

/** Lines, and the outlines of areas. */
interface LineSymbolizer<Color = Value<string>, Amount = Value<number>> extends Measured {
  kind: 'line'
  stroke: Stroke<Color, Amount>
  /** To the left of the line's direction. */
  offset?: Amount
}

/** An area and its outline. */
interface PolygonSymbolizer<Color = Value<string>, Amount = Value<number>> extends Measured {
  kind: 'polygon'
  fill?: Fill<Color, Amount>
  stroke?: Stroke<Color, Amount>
}

/** Font of a text; absent: the client's default. */
export interface Font {
  family?: string
  isBold?: true
  isItalic?: true
}

/** Sides of a text. */
const anchorSides = ['left', 'center', 'right'] as const
/** Heights of a text. */
const anchorHeights = ['top', 'middle', 'bottom'] as const

/**
 * Position of a text. At a point: the side and height of the text at the point, and the offset from there,
 * right and up. Along a line: the offset to the left of its direction, and the interval of repetition.
 */
export type Placement<Amount = Value<number>> =
  | {
      at: 'point'
      side: (typeof anchorSides)[number]
      height: (typeof anchorHeights)[number]
      right: number
      up: number
      rotation?: Amount
    }
  | { at: 'line'; offset: number; repeat?: number }

/** A label. */
export interface TextSymbolizer<Color = Value<string>, Amount = Value<number>> extends Measured {
  kind: 'text'
  /** Concatenation of texts and attributes. A symbol that is ready to be drawn contains only texts. */
  label: (string | StyleAttribute)[]
  size: Amount
  font?: Font
  color: Color
  opacity: Amount
  halo?: { color: Color; width: Amount; opacity: Amount }
  /** Absent: in the middle of the point, or of the area. */
  placement?: Placement<Amount>
}

/** The colour of a value of a raster. */
export interface RasterColor {
  /** `ramp`: where the colour is pure. `intervals`: the upper bound, which `Infinity` may be. `values`: the value itself. */
  value: number
  color: string
  opacity: number
  label?: string
}

/** Methods of colouring raster values. */
const rasterColorings = ['ramp', 'intervals', 'values'] as const

/** Colours of the values of one band. */
export interface RasterColors {
  type: (typeof rasterColorings)[number]
  /** By ascending values. */
  entries: RasterColor[]
}

/** The range of values that is stretched over all shades. */
export interface ContrastStretch {
  min: number
  max: number
}

/** A band of a raster. */
export interface StyleRasterBand {
  /** From 1 on. */
  band: number
  stretch?: ContrastStretch
}

/** A raster. */
export interface RasterSymbolizer {
  kind: 'raster'
  opacity: number
  /** Bands to draw: three as RGB, or one, by `colors` if given, otherwise in shades of gray. */
  bands?: { red: StyleRasterBand; green: StyleRasterBand; blue: StyleRasterBand } | { gray: StyleRasterBand }
  /** Bands without a stretch of their own are stretched according to their data. */
  enhancement?: 'normalize' | 'histogram'
  gamma?: number
  colors?: RasterColors
}

/** Symbolizer of any kind. */
export type Symbolizer<Color = Value<string>, Amount = Value<number>> =
  | MarkSymbolizer<Color, Amount>
  | IconSymbolizer<Amount>
  | LineSymbolizer<Color, Amount>
  | PolygonSymbolizer<Color, Amount>
  | TextSymbolizer<Color, Amount>
  | RasterSymbolizer

/** A symbol ready to be drawn: nothing in it is driven, and its lengths are pixels. */
export type PlainSymbolizer = Symbolizer<string, number>

/** Symbols, and the features and scales for which they are drawn. */
export interface Rule<Symbol = Symbolizer> {
  name?: string
  /** Text of the legend. */
  title?: string
  abstract?: string
  /** Selects the features that the rule draws. For its forms see `condition.ts`. */
  condition?: Expression
  /** True if the rule draws the features that no other rule of its pass draws at this scale. */
  isElse?: true
  /** Smallest scale denominator at which the rule draws; it draws below `maxScale`. */
  minScale?: number
  maxScale?: number
  /** The rules of one pass draw all features before those of the next; absent: 0. */
  pass?: number
  symbols: Symbol[]
}

/** A style that was read from a document in any language. */
export interface Style {
  name?: string
  title?: string
  abstract?: string
  rules: Rule[]
  /** Parts of the document that this model cannot express. */
  lost: string[]
}
