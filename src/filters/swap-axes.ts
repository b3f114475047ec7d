import { walkCoordinates } from '../geo/wkb.ts'
import type { Expression } from './expression.ts'

/** Returns the expression with the ordinates of each position exchanged. */
export function swapAxes(written: Expression): Expression {
  if (written.kind === 'call') return { ...written, args: written.args.map(swapAxes) }
  if (written.kind === 'geometry') return { ...written, wkb: swapped(written.wkb) }
  if (written.kind !== 'box') return written
  const { sides } = written
  const half = sides.length / 2
  const exchange = (from: number): number[] => [
    sides[from + 1] as number,
    sides[from] as number,
    ...sides.slice(from + 2, from + half),
  ]
  return { ...written, sides: [...exchange(0), ...exchange(half)] }
}

function swapped(wkb: Uint8Array): Uint8Array {
  const bytes = wkb.slice()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  walkCoordinates(view, 0, (start, count, dimensions) => {
    for (let point = 0, at = start; point < count; point += 1, at += dimensions * 8) {
      const x = view.getFloat64(at, true)
      view.setFloat64(at, view.getFloat64(at + 8, true), true)
      view.setFloat64(at + 8, x, true)
    }
  })
  return bytes
}
