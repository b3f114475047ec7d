import type { ComponentChildren } from 'preact'
import type { DataStyle } from './combined-style.ts'
import type { Bounds, MapObject } from './objects.ts'
import type { Found } from './open-map.ts'

/** The middle of a map. */
export interface View {
  zoom: number
  latitude: number
  longitude: number
}

/** What a map shows, and what it tells. */
export interface MapViewProps {
  /** What the map is, for who does not see it. */
  label: string
  /** Layers in the style that they are published with, as `workspace:name`, the first lowest. */
  layers?: readonly string[]
  /** Which version of them; the present one where it is not said. */
  version?: number
  /** Rows of the one layer that are drawn in place of all that its tiles have. */
  rows?: readonly MapObject[]
  /** Which features of the one layer its tiles show, in CQL2. */
  filter?: string
  /** Data in a style that is not published; drawn above `layers`. */
  style?: DataStyle
  /** Objects that were handed in; drawn above the rest. */
  objects?: readonly MapObject[]
  /** What is chosen, here or in a table beside; marked. */
  selected?: readonly MapObject[]
  /** Shown whole at first, whenever they change, and by a button. */
  bounds?: Bounds
  /** Where it begins, in place of `bounds`. */
  begin?: Bounds
  /** Where it begins, before `begin` and `bounds`. */
  view?: View
  /** Whether land, seas and names lie below the data; where it is not said, they do. */
  hasBackground?: boolean
  /** Brought in sight when it changes, where it is not. */
  show?: Bounds | undefined
  /** Which of the objects at a place somebody looks at; undefined when they look no more. */
  onPick?(found: Found | undefined): void
  /** In the place of the values of what is looked at. */
  popup?(found: Found): ComponentChildren
  /** Where the map stands still now. */
  onRest?(bounds: Bounds): void
  /** The same, as somebody has moved it. */
  onView?(view: View): void
}
