import { Worker } from 'node:worker_threads'
import { explain } from '../../core/errors/errors.ts'
import { compiledSources } from '../../core/process/process.ts'
import { workerEntry } from '../../core/workers/worker-entry.ts'
import type { SevenZipEnding, SevenZipOrder, SevenZipReport } from './seven-zip-worker.ts'

/** A failure of 7-Zip; the message is its output. */
class SevenZipError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SevenZipError'
  }
}

const input = '/in'
const maxMemoryBytes = 512 << 20
const maxWaiting = 8
/** The program is terminated if it writes nothing for this time. */
/**
 * Elapsed time, in milliseconds, from the start of its thread: sufficient for a machine with only a tenth of
 * a processor available.
 */
const silenceMs = 300_000
/** Exit codes of 7-Zip: 0 success, 1 a warning such as bytes after the archive. */
const maxFineCode = 1

function explainEnding({ exitCode, printed: output, isMemoryShort }: SevenZipEnding): string {
  if (/encrypted|wrong password/i.test(output)) return 'it is encrypted: pack it without a password'
  if (isMemoryShort || /allocate/i.test(output)) {
    return `it needs more than ${maxMemoryBytes >> 20} MiB of memory: pack it with a smaller dictionary`
  }
  const lines = output.split('\n').map((line) =>
    line
      .replaceAll(`${input} : `, '')
      .replace(/ : in~$/, '')
      .trim(),
  )
  const reported = lines.filter((line) => line !== '' && line !== 'ERROR:' && line !== 'ERRORS:')
  return reported.length === 0
    ? `7-Zip ended with code ${exitCode}`
    : reported.slice(0, 3).join('; ').slice(0, 300)
}

/** An exception of the program is a number: its input was invalid. */
function brokenDown(error: unknown): Error {
  return new SevenZipError(typeof error === 'number' ? 'it is damaged, or encrypted' : explain(error))
}

/** Queue of the reports of one worker for one reader. */
class Reports {
  readonly #queue: SevenZipReport[] = []
  #error: Error | undefined
  #wake: () => void = () => undefined

  constructor(worker: Worker) {
    worker.on('message', (report: SevenZipReport) => {
      this.#queue.push(report)
      this.#wake()
    })
    worker.on('error', (error) => this.fail(brokenDown(error)))
    worker.on('exit', () => this.fail(new SevenZipError('7-Zip ended without a message')))
  }

  fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  async next(): Promise<SevenZipReport> {
    for (;;) {
      const report = this.#queue.shift()
      if (report !== undefined) return report
      if (this.#error !== undefined) throw this.#error
      await this.#sleep()
    }
  }

  async #sleep(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(
        () => this.fail(new SevenZipError('7-Zip wrote nothing for five minutes')),
        silenceMs,
      )
    })
    clearTimeout(timer)
  }
}

/**
 * Streams the standard output of 7-Zip, compiled to WebAssembly. It runs in a thread of its own, can only
 * read the file `path`, and waits while its output is not consumed. Throws `SevenZipError`, or the reason of
 * the signal.
 */
export async function* runSevenZip(
  path: string,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal.throwIfAborted()
  const waiting = new SharedArrayBuffer(4)
  const count = new Int32Array(waiting)
  const order: SevenZipOrder = {
    path,
    input,
    args: [...args, '--', input],
    maxMemoryBytes,
    maxWaiting,
    waiting,
  }
  const worker = new Worker(workerEntry(new URL('./seven-zip-worker.ts', import.meta.url)), {
    workerData: order,
    env: compiledSources(),
    stdout: true,
    stderr: true,
  })
  const reports = new Reports(worker)
  const abort = (): void => reports.fail(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      const report = await reports.next()
      if (report.type === 'bytes') {
        Atomics.sub(count, 0, 1)
        Atomics.notify(count, 0)
        signal.throwIfAborted()
        yield report.bytes
      } else if (report.exitCode > maxFineCode) {
        throw new SevenZipError(explainEnding(report))
      } else return
    }
  } finally {
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
