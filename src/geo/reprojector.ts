import type { Place } from './crs-projector.ts'

/** Something to tell the user of a reprojection. */
export interface ReprojectMessage {
  code: 'grid-missing' | 'no-datum-shift'
  message: string
}

/**
 * Moves coordinates from one CRS to another, x before y in both. `coordinates` holds x, y and height for each point
 * (height 0 where there is none) and is changed in place; x and y become NaN where no result exists, heights stay.
 */
export interface Reprojector {
  isIdentity: boolean
  /** Set where no program is needed: one point, in place. */
  transformPlace: ((place: Place, height: number) => void) | undefined
  transform(coordinates: Float64Array): void | Promise<void>
  messages: ReprojectMessage[]
  close(): Promise<void>
}
