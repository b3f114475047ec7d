import { Worker } from 'node:worker_threads'
import type { ErrorData, Report } from './messages.ts'
import { toErrorData } from './messages.ts'

export interface CrewMember {
  worker: Worker
  onReport: ((report: Report) => void) | undefined
  /** What it worked at last. */
  subject: string | undefined
  /** Ends it when it has been idle long enough. */
  leaving: NodeJS.Timeout | undefined
}

/** Batches live outside the heap; a small young generation has them freed soon. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

/** A worker beyond the warm ones stays so long, since small loads follow one another and a new worker takes long. */
const surplusMs = 3000

/** The worker threads: some are kept warm for the next load, others come and go. */
export class Crew {
  readonly #warm: number
  readonly #idle: CrewMember[] = []
  readonly #all = new Set<CrewMember>()
  #isClosed = false

  constructor(warm: number) {
    this.#warm = warm
    for (let count = 0; count < warm; count += 1) this.#idle.push(this.#hire())
  }

  /** A worker for one order, that of the last about `subject` where it is idle; give it back by `rest`. */
  call(subject?: string): CrewMember {
    if (this.#isClosed) throw new Error('The load workers are closed')
    const at = this.#idle.findLastIndex((one) => one.subject === subject)
    const [member = this.#hire()] = this.#idle.splice(at, 1)
    member.subject = subject ?? member.subject
    clearTimeout(member.leaving)
    member.worker.ref()
    return member
  }

  rest(member: CrewMember): void {
    member.onReport = undefined
    if (!this.#all.has(member)) return
    if (this.#isClosed) {
      void this.dismiss(member)
      return
    }
    member.worker.unref()
    if (this.#idle.length >= this.#warm) {
      member.leaving = setTimeout(() => void this.dismiss(member), surplusMs).unref()
    }
    this.#idle.push(member)
  }

  async dismiss(member: CrewMember): Promise<void> {
    member.onReport = undefined
    this.#remove(member)
    await member.worker.terminate()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((member) => this.dismiss(member)))
  }

  #remove(member: CrewMember): void {
    clearTimeout(member.leaving)
    this.#all.delete(member)
    const at = this.#idle.indexOf(member)
    if (at >= 0) this.#idle.splice(at, 1)
  }

  #hire(): CrewMember {
    const worker = new Worker(new URL('./load-worker.ts', import.meta.url), { resourceLimits })
    const member: CrewMember = { worker, onReport: undefined, subject: undefined, leaving: undefined }
    const leave = (error: ErrorData): void => {
      this.#remove(member)
      member.onReport?.({ type: 'failed', error })
    }
    this.#all.add(member)
    worker.on('message', (report: Report) => member.onReport?.(report))
    worker.on('error', (error) => leave(toErrorData(error)))
    worker.on('exit', (code) =>
      leave({ name: 'Error', message: `The load's worker ended with code ${code}` }),
    )
    worker.unref()
    return member
  }
}
