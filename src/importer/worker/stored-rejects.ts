import type { CorrectedLine } from '../../formats/reject-lines.ts'
import { hasRejects, readLineBytes, rowOfLine } from '../../formats/reject-lines.ts'

const rejected = 0
const corrected = 1
const taken = 2
const rejectedAgain = 3

/** Maximum number of distinct times at which corrected rows became part of the layer. */
const maxTimes = 1000

interface Found {
  rows: number[]
  mendedAt: Map<number, string>
}

async function readAll(path: string): Promise<Found> {
  const found: Found = { rows: [], mendedAt: new Map() }
  if (!(await hasRejects(path))) return found
  for await (const line of readLineBytes(path)) {
    if (line.length === 0) continue
    const row = rowOfLine(line)
    found.rows.push(row)
    const isCorrected = line.length < 80 && line.includes('"mendedAt"')
    if (isCorrected) found.mendedAt.set(row, (JSON.parse(line.toString('utf8')) as CorrectedLine).mendedAt)
  }
  return found
}

/** The rejected rows of a task by number, and their state while corrected rows are loaded. */
export class StoredRejects {
  readonly #rows: Float64Array
  readonly #states: Uint8Array
  readonly #times: string[] = []
  readonly #timeOf: Uint16Array

  private constructor({ rows, mendedAt: correctedAt }: Found) {
    this.#rows = Float64Array.from(rows).sort()
    this.#states = new Uint8Array(this.#rows.length)
    this.#timeOf = new Uint16Array(this.#rows.length)
    for (const [row, at] of correctedAt) this.#setCorrected(row, at)
  }

  /** Reads the list from its file; empty if it does not exist. */
  static async read(path: string): Promise<StoredRejects> {
    return new StoredRejects(await readAll(path))
  }

  /** Accepts a corrected row. Returns the reason if the row is refused, otherwise undefined. */
  take(row: number): string | undefined {
    const index = this.#find(row)
    const state = index < 0 ? undefined : this.#states[index]
    if (state === undefined) return `Row ${row} is none of the rejected rows of the task`
    if (state === corrected)
      return `Row ${row} was corrected and loaded before, with the rows submitted at ${this.#timeAt(index)}`
    if (state !== rejected) return `Row ${row} is sent twice: the first one counts`
    this.#states[index] = taken
    return undefined
  }

  /** Records that an accepted row was rejected again. */
  rejectAgain(row: number): void {
    const index = this.#find(row)
    if (index >= 0) this.#states[index] = rejectedAgain
  }

  /** True if the row was accepted and not rejected again. */
  isLoaded(row: number): boolean {
    return this.#stateOf(row) === taken
  }

  isRejectedAgain(row: number): boolean {
    return this.#stateOf(row) === rejectedAgain
  }

  #stateOf(row: number): number | undefined {
    const index = this.#find(row)
    return index < 0 ? undefined : this.#states[index]
  }

  #setCorrected(row: number, at: string): void {
    const index = this.#find(row)
    let time = this.#times.indexOf(at)
    if (time < 0) time = this.#times.length < maxTimes ? this.#times.push(at) - 1 : maxTimes - 1
    this.#states[index] = corrected
    this.#timeOf[index] = time
  }

  #timeAt(index: number): string {
    return this.#times[this.#timeOf[index] as number] ?? ''
  }

  /** Binary search: there may be millions of rows. */
  #find(row: number): number {
    let low = 0
    let high = this.#rows.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = this.#rows[middle] as number
      if (found === row) return middle
      if (found < row) low = middle + 1
      else high = middle - 1
    }
    return -1
  }
}
