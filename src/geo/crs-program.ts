import type { ProgramSession } from '../core/process/process.ts'
import { findProgram, openProgram } from '../core/process/process.ts'
import type { Reprojector } from './crs-projector.ts'

const program = 'gdaltransform'
/**
 * `gdaltransform` writes in blocks of 4096 bytes: this many additional lines of at least four bytes flush all
 * results of the points.
 */
const padLines = 1200
const decoder = new TextDecoder('latin1')

/**
 * Starts GDAL's program for reprojecting, one process for the whole load. Undefined if it is not installed.
 */
export async function openProgramReprojector(
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<Reprojector | undefined> {
  const path = await findProgram(program)
  if (path === undefined) return undefined
  const session = openProgram(path, ['-s_srs', from, '-t_srs', to], signal === undefined ? {} : { signal })
  const lines = new ProgramLines(session)
  return {
    isIdentity: false,
    transformPlace: undefined,
    transform: (coordinates) => exchange(session, lines, coordinates),
    messages: [],
    close: () => session.close(),
  }
}

const pointsPerTurn = 20_000

async function exchange(
  session: ProgramSession,
  lines: ProgramLines,
  coordinates: Float64Array,
): Promise<void> {
  const stride = pointsPerTurn * 3
  for (let start = 0; start < coordinates.length; start += stride) {
    const end = Math.min(start + stride, coordinates.length)
    const written = session.write(request(coordinates, start, end))
    await lines.skipPadding()
    for (let at = start; at < end; at += 3) {
      const line = lines.buffered() ?? (await lines.next())
      const space = line.indexOf(' ')
      const second = line.indexOf(' ', space + 1)
      coordinates[at] = space < 0 ? Number.NaN : Number(line.slice(0, space))
      coordinates[at + 1] = Number(line.slice(space + 1, second < 0 ? undefined : second))
    }
    lines.expectPadding(padLines)
    await written
  }
}

function request(coordinates: Float64Array, start: number, end: number): string {
  const parts: string[] = []
  for (let at = start; at < end; at += 3) {
    parts.push(`${coordinates[at]} ${coordinates[at + 1]} ${coordinates[at + 2]}\n`)
  }
  return parts.join('') + (parts.at(-1) ?? '').repeat(padLines)
}

/** Lines of a program's output, without the padding. */
class ProgramLines {
  readonly #session: ProgramSession
  #lines: string[] = []
  #at = 0
  #rest = ''
  #padding = 0

  constructor(session: ProgramSession) {
    this.#session = session
  }

  expectPadding(count: number): void {
    this.#padding += count
  }

  async skipPadding(): Promise<void> {
    for (; this.#padding > 0; this.#padding -= 1) if (this.buffered() === undefined) await this.next()
  }

  /** Returns the next line if it is available. */
  buffered(): string | undefined {
    const line = this.#lines[this.#at]
    if (line !== undefined) this.#at += 1
    return line
  }

  /** Waits for the next line. Throws if the program ends. */
  async next(): Promise<string> {
    for (;;) {
      const line = this.buffered()
      if (line !== undefined) return line
      const { value, done } = await this.#session.stdout.next()
      if (done === true) throw new Error(`${program} ended early: ${this.#session.stderr.trim()}`)
      this.#lines = (this.#rest + decoder.decode(value)).split('\n')
      this.#rest = this.#lines.pop() ?? ''
      this.#at = 0
    }
  }
}
