import type { Dimension, PlainSymbolizer } from '../model.ts'

/** One line of a legend. */
export interface LegendEntry {
  title: string
  /** Scale denominators between which it is drawn. */
  minScale?: number
  maxScale?: number
  /** Symbols to draw; none for a heading. */
  symbols: PlainSymbolizer[]
  /** Dimension of the drawn geometry, if the style specifies it. */
  dimension: Dimension
  /** Colour of a raster value. */
  color?: { color: string; opacity: number }
  /** A strip of colours with the values at its marks. */
  ramp?: LegendRamp
}

/** Colours that flow into each other, from the lowest value to the highest. */
export interface LegendRamp {
  stops: { value: number; color: string; opacity: number; label?: string }[]
  unit?: string
}

/** Contents of a legend, in the order of the style. */
export interface Legend {
  title: string
  entries: LegendEntry[]
  /** Lines that were left out, since there are too many. */
  leftOut: number
  /** Parts of the style that the legend does not show. */
  messages: string[]
}
