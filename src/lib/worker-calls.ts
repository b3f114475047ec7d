import type { MessagePort, TransferListItem } from 'node:worker_threads'
import { parentPort, Worker } from 'node:worker_threads'

interface Call {
  id: number
  name: string
  argument: unknown
}

type Answer = { id: number; result: unknown } | { id: number; error: unknown } | { notice: unknown }

/** Something to hand over instead of copying it. */
export class Transfer<T> {
  readonly value: T
  readonly list: TransferListItem[]

  constructor(value: T, list: TransferListItem[]) {
    this.value = value
    this.list = list
  }
}

/** A small young generation: the default lets each thread keep some 50 MB of what is garbage already. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

export type CallHandlers = Record<string, (argument: never) => unknown>

/** In a worker thread: answers calls; gives the function that tells the other side something unasked. */
export function answerCalls(
  handlers: CallHandlers,
  port: MessagePort | null = parentPort,
): (notice: unknown) => void {
  if (port === null) throw new Error('Only a worker thread answers calls')
  const send = (answer: Answer, list: TransferListItem[] = []): void => port.postMessage(answer, list)
  port.on('message', async ({ id, name, argument }: Call) => {
    try {
      const result = await handlers[name]?.(argument as never)
      if (result instanceof Transfer) send({ id, result: result.value }, result.list)
      else send({ id, result })
    } catch (error) {
      send({ id, error })
    }
  })
  return (notice) => send({ notice })
}

export interface CalledWorkerOptions {
  /** What the worker finds in `workerData`. */
  data?: unknown
  onNotice?(notice: unknown): void
  /** The thread ended by itself: calls under way have failed, and later ones fail. */
  onEnd?(error: unknown): void
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** A worker thread that answers calls by `answerCalls`. Does not keep the process alive. */
export class CalledWorker {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #end: unknown

  constructor(file: URL, { data, onNotice, onEnd }: CalledWorkerOptions = {}) {
    this.#worker = new Worker(file, { workerData: data, resourceLimits })
    this.#worker.unref()
    this.#worker.on('message', (answer: Answer) => {
      if ('notice' in answer) onNotice?.(answer.notice)
      else this.#settle(answer)
    })
    this.#worker.on('error', (error) => this.#finish(error, onEnd))
    this.#worker.on('exit', () => this.#finish(new Error('The worker thread has ended'), onEnd))
  }

  call<T>(name: string, argument?: unknown, transfer: TransferListItem[] = []): Promise<T> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    this.#calls += 1
    const id = this.#calls
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (result) => resolve(result as T), reject })
      this.#worker.postMessage({ id, name, argument } satisfies Call, transfer)
    })
  }

  /** Ends the thread at once; whoever waits gets an error. */
  async terminate(): Promise<void> {
    this.#end ??= new Error('The worker thread was closed')
    await this.#worker.terminate()
  }

  #settle(answer: Exclude<Answer, { notice: unknown }>): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiting?.reject(answer.error)
    else waiting?.resolve(answer.result)
  }

  #finish(error: unknown, onEnd: CalledWorkerOptions['onEnd']): void {
    const isFirst = this.#end === undefined
    this.#end ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#end)
    this.#waiting.clear()
    if (isFirst) onEnd?.(error)
  }
}
