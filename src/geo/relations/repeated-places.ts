import type { Envelope } from '../envelope.ts'

/** Maximum number of copies of a geometry that is wider than the earth. */
const maxCopies = 8

/**
 * Returns the distances in x, zero among them, by which an envelope is moved so that it reaches rows stored up to
 * one `turn` from the origin: locations of the CRS repeat after `turn`. `reach` expands the envelope; more than
 * one turn finds no other rows, since the nearest copy of a row is at most half a turn away.
 */
export function shiftsOfCopies(turn: number, { minX, maxX }: Envelope, reach = 0): number[] {
  const aside = Math.min(reach, turn)
  const first = Math.ceil((-turn - maxX - aside) / turn)
  const last = Math.floor((turn - minX + aside) / turn)
  const turns = Array.from(
    { length: Math.max(0, Math.min(last - first + 1, maxCopies)) },
    (_, at) => first + at,
  )
  const others = turns.filter((one) => one !== 0).map((one) => one * turn)
  return [0, ...others]
}

/** Returns the distance in x that moves the center of an envelope to between -turn/2 and turn/2. */
export function shiftToOrigin(turn: number, { minX, maxX }: Envelope): number {
  return -Math.floor((minX + maxX) / 2 / turn + 0.5) * turn || 0
}

/** West and east limit of one turn around the earth with an envelope in its middle. */
export interface Frame {
  west: number
  east: number
}

/**
 * Returns the turn around an envelope. Rows are moved and cut to it before they are compared: the cut is opposite to
 * the envelope, so it changes no relation.
 */
export function frameAround(turn: number, { minX, maxX }: Envelope): Frame {
  const center = (minX + maxX) / 2
  return { west: center - turn / 2, east: center + turn / 2 }
}
