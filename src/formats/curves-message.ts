import type { FormatMessage } from './format.ts'

/** Returns a message that curves and surfaces are converted. */
export function curvesMessage(column: string, count: number): FormatMessage {
  const message = `${count} geometries of "${column}" are curves or surfaces: they are read as lines and polygons, arcs as lines of at most four degrees`
  return { level: 'warning', code: 'curves-linearized', message }
}
