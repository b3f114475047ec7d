import type { ComponentChildren } from 'preact'
import type { DataStyle } from './combined-style.ts'
import type { Bounds, MapObject } from './objects.ts'
import type { MapFeature } from './open-map.ts'

/** The middle of a map. */
export interface View {
  zoom: number
  latitude: number
  longitude: number
}

/** Content and events of a map. */
export interface MapViewProps {
  /** Accessible name of the map. */
  label: string
  /** Layers in the style that they are published with, as `workspace:name`, the first lowest. */
  layers?: readonly string[]
  /** Version of the layers; default: the current one. */
  version?: number
  /** Rows of the one layer, drawn instead of its tiles. */
  rows?: readonly MapObject[]
  /** Filter of the one layer's tiles, in CQL2. */
  filter?: string
  /** Data in a style that is not published; drawn above `layers`. */
  style?: DataStyle
  /** Supplied objects; drawn on top. */
  objects?: readonly MapObject[]
  /** Selected objects, here or in a table; highlighted. */
  selected?: readonly MapObject[]
  /** Shown whole at first, whenever they change, and by a button. */
  bounds?: Bounds
  /** Initial extent, instead of `bounds`. */
  begin?: Bounds
  /** Initial view; takes precedence over `begin` and `bounds`. */
  view?: View
  /** True to show the base map below the data; default true. */
  hasBackground?: boolean
  /** Brought in sight when it changes, where it is not. */
  show?: Bounds | undefined
  /** Called with the selected object at a location; undefined when it is deselected. */
  onPick?(found: MapFeature | undefined): void
  /** Replaces the values of the selected object. */
  popup?(found: MapFeature): ComponentChildren
  /** Called when the map stops moving. */
  onRest?(bounds: Bounds): void
  /** The same, if the reader moved it. */
  onView?(view: View): void
}
