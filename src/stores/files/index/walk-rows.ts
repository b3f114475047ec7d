import { setImmediate } from 'node:timers/promises'
import type { RowSet } from './row-set.ts'

const turnMs = 10
/** Rows that are passed over between two looks at the clock. */
const passedRows = 1 << 14

/** Which rows are walked, and from where. */
export interface RowWalk {
  rowCount: number
  /** Rows that are wanted; undefined where all are. */
  matches: RowSet | undefined
  /** All positions in the order of the walk; undefined where that is the one of the file. */
  order: Uint32Array | undefined
  /** The position of the row that the walk begins behind; undefined where it begins at the first, and passes over `offset`. */
  behind: number | undefined
  isBackward: boolean
  offset: number
  limit: number
}

/** Positions of rows one after the other in pieces of up to `pieceRows`; gives way to other work. */
export async function* walkRows(
  { rowCount, matches, order, behind, isBackward, offset, limit }: RowWalk,
  pieceRows: number,
  signal: AbortSignal,
): AsyncGenerator<Uint32Array> {
  const step = isBackward ? -1 : 1
  const start = behind === undefined ? 0 : (order?.indexOf(behind) ?? behind) + step
  let skip = behind === undefined ? offset : 0
  let left = limit
  let turn = performance.now()
  let piece: number[] = []
  for (let place = start, passed = 0; place >= 0 && place < rowCount && left > 0; place += step) {
    passed += 1
    if (passed % passedRows === 0 && performance.now() - turn > turnMs) {
      await setImmediate()
      signal.throwIfAborted()
      turn = performance.now()
    }
    const position = order?.[place] ?? place
    if (matches?.has(position) === false) continue
    if (skip > 0) {
      skip -= 1
      continue
    }
    piece.push(position)
    left -= 1
    if (piece.length < pieceRows) continue
    yield Uint32Array.from(piece)
    piece = []
  }
  if (piece.length > 0) yield Uint32Array.from(piece)
}
