import { skippedLines } from '../../metrics/metrics.ts'
import type { Sample } from '../../series/request-event.ts'
import type { RawRequest } from '../classify/raw-request.ts'
import type { LogSink } from './log-follower.ts'
import type { LineFault, LogLine } from './log-line.ts'
import { LogLineParser } from './log-line.ts'

const aheadMs = 300_000

/** Collects the requests of a batch of log lines, and counts lines that are not requests. */
export class LogBatch implements LogSink {
  readonly requests: RawRequest[] = []
  newest = 0
  readonly #latest: number
  readonly #toRequest: (line: LogLine) => RawRequest
  readonly #parser = new LogLineParser()
  readonly #faults = new Map<LineFault, number>()
  #path = ''

  constructor(now: number, toRequest: (line: LogLine) => RawRequest) {
    this.#latest = now + aheadMs
    this.#toRequest = toRequest
  }

  begin(path: string): void {
    this.#path = path
  }

  line(bytes: Buffer, start: number, end: number): void {
    const line = this.#parser.parse(bytes, start, end)
    if (typeof line === 'string') this.#refuse(line)
    else if (line.created > this.#latest) this.#refuse('in the future')
    else {
      if (line.created > this.newest) this.newest = line.created
      this.requests.push(this.#toRequest(line))
    }
  }

  longLine(): void {
    this.#refuse('longer than 64 KiB')
  }

  /** Returns the numbers of ignored lines by reason, as samples at the time they were read. */
  samples(serviceId: number, created: number): Sample[] {
    return [...this.#faults].map(([label, value]) => {
      return { serviceId, created, metric: skippedLines.name, label, value }
    })
  }

  /** Returns messages about ignored lines, without the lines themselves: they may contain addresses. */
  problems(): string[] {
    return [...this.#faults].map(([fault, count]) => {
      const lines = count === 1 ? '1 line was' : `${count} lines were`
      return `${lines} not counted in ${this.#path}: ${fault}`
    })
  }

  #refuse(fault: LineFault): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1)
  }
}
