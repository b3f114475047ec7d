/** Style documents of every format meet in this form: what both SLD and MapLibre can say. */

export type Literal = string | number | boolean

/** Which features a rule draws. `dimension` is that of the geometry: 0 points, 1 lines, 2 areas. */
export type Condition =
  | { op: '==' | '!=' | '<' | '<=' | '>' | '>='; property: string; value: Literal }
  | { op: 'null'; property: string }
  | { op: 'dimension'; value: 0 | 1 | 2 }
  | { op: 'all' | 'any'; conditions: Condition[] }
  | { op: 'not'; condition: Condition }

export const markShapes = ['circle', 'square', 'triangle', 'star', 'cross', 'x'] as const
export type MarkShape = (typeof markShapes)[number]

/** Colours are `#rrggbb`, lengths pixels, opacities 0 to 1. What is absent is not drawn, or drawn as usual. */
export interface Stroke {
  color: string
  width: number
  opacity: number
  dashes?: number[]
  cap?: 'butt' | 'round' | 'square'
  join?: 'bevel' | 'round' | 'miter'
}

export interface Fill {
  color: string
  opacity: number
}

export type Symbolizer =
  | { kind: 'point'; shape: MarkShape; size: number; fill?: Fill; stroke?: Stroke; rotation?: number }
  | { kind: 'line'; stroke: Stroke }
  | { kind: 'polygon'; fill?: Fill; stroke?: Stroke }
  | { kind: 'text'; property: string; size: number; color: string; halo?: { color: string; width: number } }
  | { kind: 'raster'; opacity: number }

export interface Rule {
  name?: string
  title?: string
  condition?: Condition
  /** Draws what no other rule of the style draws. */
  isElse?: boolean
  /** Scale denominators between which the rule draws. */
  minScale?: number
  maxScale?: number
  symbols: Symbolizer[]
}

export interface Drawing {
  name?: string
  title?: string
  rules: Rule[]
  /** What the document says beyond this, in words. */
  lost: string[]
}

/** Scale denominator of MapLibre's zoom level 0 (512 pixel tiles) by OGC's pixel of 0.28 mm. */
const scaleOfZoom0 = 279_541_132.014_358_9

export function zoomOfScale(denominator: number): number {
  return Math.round(Math.log2(scaleOfZoom0 / denominator) * 100) / 100
}

export function scaleOfZoom(zoom: number): number {
  return Math.round(scaleOfZoom0 / 2 ** zoom)
}
