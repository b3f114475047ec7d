export type Unit = 'rows' | 'tiles' | 'bytes'

/** Progress of one piece of work. */
export interface ProgressLine {
  label: string
  done: number
  /** Below 1 if unknown. */
  total: number
  unit: Unit
  perSecond?: number
}

export interface ProgressStream {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const barWidth = 18
const maxBars = 8

/**
 * Progress bars of running work, redrawn in place on a terminal, below the finished lines. Elsewhere (a log,
 * a pipe) only the finished lines are printed.
 */
export class ProgressDisplay {
  readonly #stream: ProgressStream
  readonly #lines = new Map<string, ProgressLine>()
  #drawn = 0

  constructor(stream: ProgressStream) {
    this.#stream = stream
  }

  update(key: string, line: ProgressLine): void {
    this.#lines.set(key, line)
    this.#draw('')
  }

  /** Removes a bar; `text`, if given, replaces it. */
  finish(key: string, text?: string): void {
    this.#lines.delete(key)
    this.#draw(text === undefined ? '' : `${text}\n`)
  }

  print(text: string): void {
    this.#draw(`${text}\n`)
  }

  #draw(above: string): void {
    if (this.#stream.isTTY !== true) {
      if (above !== '') this.#stream.write(above)
      return
    }
    const width = (this.#stream.columns ?? 80) - 1
    const shown = [...this.#lines.values()].slice(0, maxBars)
    const bars = shown.map((line) => `${[...barText(line)].slice(0, width).join('')}\n`)
    const up = this.#drawn === 0 ? '' : `\u001b[${this.#drawn}A`
    this.#stream.write(`${up}\r\u001b[J${above}${bars.join('')}`)
    this.#drawn = bars.length
  }
}

/** Returns one bar: `roads  [######------]  52 %  120,000 of 230,000 rows  410,000 rows/s`. */
export function barText({ label, done, total, unit, perSecond }: ProgressLine): string {
  const speed = perSecond === undefined ? '' : `  ${amount(perSecond, unit)}/s`
  const name = label.padEnd(20)
  if (total < 1) return `${name}  ${amount(done, unit)}${speed}`
  const share = Math.min(1, done / total)
  const filled = Math.round(share * barWidth)
  const bar = '#'.repeat(filled) + '-'.repeat(barWidth - filled)
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  return `${name}  [${bar}] ${percent}  ${amount(done, unit)}${speed}`
}

export function amount(value: number, unit: Unit): string {
  if (unit !== 'bytes') return `${Math.round(value).toLocaleString('en')} ${unit}`
  return value < 1e6 ? `${Math.ceil(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`
}
