import type { ProjectedPoint } from './crs-projector.ts'

/** A message to the user about a reprojection. */
export interface ReprojectMessage {
  code: 'grid-missing' | 'no-datum-shift'
  message: string
}

/**
 * Transforms coordinates between two CRSs, x before y in both. `coordinates` contains x, y and height of each
 * point (height 0 if there is none) and is changed in place; x and y become NaN if there is no result,
 * heights are unchanged.
 */
export interface Reprojector {
  isIdentity: boolean
  /** Transforms one point in place; undefined if a program is needed. */
  transformPlace: ((place: ProjectedPoint, height: number) => void) | undefined
  transform(coordinates: Float64Array): void | Promise<void>
  messages: ReprojectMessage[]
  close(): Promise<void>
}
