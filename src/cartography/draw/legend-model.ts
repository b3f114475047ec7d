import type { Dimension, PlainSymbolizer } from '../model.ts'

/** One line of a legend. */
export interface LegendEntry {
  title: string
  /** Scale denominators between which it is drawn. */
  minScale?: number
  maxScale?: number
  /** What is drawn, ready to be painted; none for a line that is a heading. */
  symbols: PlainSymbolizer[]
  /** What kind of geometry it draws, as far as the style says. */
  dimension: Dimension
  /** Of a value of a raster: its colour. */
  color?: { color: string; opacity: number }
  /** A strip of colours with the values at its marks. */
  ramp?: LegendRamp
}

/** Colours that flow into each other, from the lowest value to the highest. */
export interface LegendRamp {
  stops: { value: number; color: string; opacity: number; label?: string }[]
  unit?: string
}

/** What a style draws, in the order of the style. */
export interface Legend {
  title: string
  entries: LegendEntry[]
  /** Lines that were left out, since there are too many. */
  leftOut: number
  /** What of the style the legend does not show. */
  messages: string[]
}
