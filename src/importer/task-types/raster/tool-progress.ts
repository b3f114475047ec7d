const tailLength = 400
const marks = /\b(100|[1-9]0|0)(\.{1,3})/g
/** GDAL prints three dots between two numbers. */
const percentPerDot = 2.5

/**
 * Parses GDAL's progress (`0...10...20...`) from pieces of output; returns a share from 0 to 1 that never
 * decreases.
 */
export function progressReader(): (piece: Uint8Array) => number {
  let tail = ''
  let share = 0
  return (piece) => {
    tail = (tail + Buffer.from(piece).toString('latin1')).slice(-tailLength)
    const last = [...tail.matchAll(marks)].at(-1)
    const percent = last === undefined ? 0 : Number(last[1]) + (last[2] ?? '').length * percentPerDot
    share = Math.min(1, Math.max(share, / - done\.\s*$/.test(tail) ? 1 : percent / 100))
    return share
  }
}
