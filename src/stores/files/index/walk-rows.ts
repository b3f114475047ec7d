import { setImmediate } from 'node:timers/promises'
import type { IndexRowSet } from './row-set.ts'

const turnMs = 10
/** Number of rows to skip between two checks of the clock. */
const passedRows = 1 << 14

/** The rows of a walk and its start. */
export interface RowWalk {
  rowCount: number
  /** Rows to return; undefined for all. */
  matches: IndexRowSet | undefined
  /** All positions in the order of the walk; undefined for file order. */
  order: Uint32Array | undefined
  /**
   * Position of the row after which the walk starts; undefined to start at the first row and skip `offset`.
   */
  behind: number | undefined
  isBackward: boolean
  offset: number
  limit: number
}

/** Yields row positions in pieces of up to `pieceRows`, and yields to other work in between. */
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
