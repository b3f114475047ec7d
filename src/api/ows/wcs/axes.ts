import { findCrs } from '../../../geo/crs-database.ts'
import { OwsFailure } from '../ows-failure.ts'

/** Direction of a coverage axis. */
export type AxisWay = 'x' | 'y' | 'time'

/** A CRS as written in documents. */
export interface CrsAxes {
  /** Labels and units, in axis order. */
  labels: [string, string]
  units: [string, string]
  /** Latitude or northing first. */
  isYx: boolean
}

const units = new Map([
  ['degree', 'deg'],
  ['metre', 'm'],
  ['foot', 'ft'],
])

/** Axes of a CRS by its code. */
export function axesOf(srs: string): CrsAxes {
  const record = findCrs(srs)
  const isYx = record?.axisOrder === 'yx'
  const [x, y] = record?.kind === 'geographic' ? ['Long', 'Lat'] : ['E', 'N']
  const unit = (units.get(record?.unit ?? '') ?? record?.unit ?? 'm').replaceAll(/\s/g, '_')
  return { labels: isYx ? [y, x] : [x, y], units: [unit, unit], isYx }
}

const ways: Record<AxisWay, RegExp> = {
  x: /^(?:x|i|e|east|easting|long|longitude|lon)$/i,
  y: /^(?:y|j|n|north|northing|lat|latitude)$/i,
  time: /^(?:t|time|ansi|date|datetime|phenomenontime|begin|unix)$/i,
}

/**
 * Returns the axis of a label, in the names that servers and clients use. Throws `OwsFailure` with the given
 * code.
 */
export function readAxis(label: string, code: 'InvalidAxisLabel' | 'ScaleAxisUndefined'): AxisWay {
  // Some write an axis as the URI of its definition.
  const plain = label.trim().replace(/^.*[/#]/, '')
  for (const way of ['x', 'y', 'time'] as const) if (ways[way].test(plain)) return way
  throw new OwsFailure(
    code,
    `"${label.slice(0, 100)}" is not an axis of the coverage: DescribeCoverage lists its axes`,
    label.slice(0, 100),
    404,
  )
}

/** A coordinate with the axis first that the CRS has first. */
export function ordered([x, y]: readonly [x: number, y: number], { isYx }: CrsAxes): string {
  return isYx ? `${y} ${x}` : `${x} ${y}`
}
