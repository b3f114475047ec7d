import { setImmediate as nextRound } from 'node:timers/promises'
import { setGuard } from '../files/guarded-files.ts'
import { QuietCollector } from '../process/collect-garbage.ts'
import { osThreadId, ownCpuTime } from '../time/cpu-time.ts'
import { packError, unpackError } from './error-codec.ts'
import type { CallContext, Handlers } from './handlers.ts'
import { Transfer } from './handlers.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import type { WorkerPort } from './worker-port.ts'
import { openWorkerPort } from './worker-port.ts'

/** Sends a notice outside a call to the process or thread that started this worker. */
export type Tell = (notice: unknown) => void
/**
 * Says that the thread can serve another starter later, and how to close what the handlers have opened. Nothing that the
 * handlers leave in their modules may depend on the starter.
 */
type AllowReset = (close?: () => void | Promise<void>) => void
type Make<H, Data> = (data: Data, tell: Tell, allowReset: AllowReset) => H | Promise<H>
type Handler = (argument: unknown, context: CallContext<unknown, unknown>) => unknown
type Message<Type extends ToWorker['type']> = Extract<ToWorker, { type: Type }>

/**
 * Serves calls in the file of a thread or child process. The handlers may be created from the `data` of the
 * starter; `tell` sends it a notice outside a call.
 */
export function serveWork<H extends Handlers, Data = unknown>(make: H | Make<H, Data>): void {
  const port = openWorkerPort()
  const calls = new Map<number, ServedCall>()
  const collector = new QuietCollector(() => calls.size === 0)
  const tell: Tell = (notice) => port.post({ type: 'told', notice })
  let handlers: Promise<Handlers> | undefined
  let closeHandlers: (() => void | Promise<void>) | undefined
  let begun = 0

  /**
   * Handles abort messages that are queued behind a call, so that no work is done for a caller that has left.
   * One event loop iteration may not be sufficient to read them. Repeats this if another call that began
   * meanwhile may have blocked the thread.
   */
  async function readAborts(): Promise<void> {
    for (let rounds = 0; rounds < 2; rounds += 1) {
      const before = begun
      await nextRound()
      if (begun !== before) rounds = -1
    }
  }

  async function serve({ id, name, argument, ahead, beatMs, reportBegun }: Message<'call'>): Promise<void> {
    const call = new ServedCall(port, id, ahead)
    calls.set(id, call)
    let beat: NodeJS.Timeout | undefined
    try {
      const known = (await handlers) ?? {}
      if (reportBegun === true) await readAborts()
      call.signal.throwIfAborted()
      begun += 1
      if (reportBegun === true) port.post({ type: 'begun', id, cpuMs: ownCpuTime() })
      if (beatMs !== undefined)
        beat = setInterval(() => port.post({ type: 'beat', id, cpuMs: ownCpuTime() }), beatMs)
      if (!Object.hasOwn(known, name)) throw new Error(`Nothing here does "${name}"`)
      await call.run(known[name] as Handler, argument)
    } catch (error) {
      port.post({ type: 'error', id, error: packError(error) })
    } finally {
      clearInterval(beat)
      calls.delete(id)
      collector.worked()
    }
  }

  const allowReset: AllowReset = (close = () => undefined) => {
    closeHandlers = close
  }

  function start({ data, guard }: Message<'start'>): void {
    setGuard(guard)
    handlers = (async () => (typeof make === 'function' ? make(data as Data, tell, allowReset) : make))()
    const reportReady = (): void =>
      port.post({ type: 'ready', tid: osThreadId(), canReset: closeHandlers !== undefined })
    handlers.then(reportReady, reportReady)
  }

  async function reset(): Promise<void> {
    await closeHandlers?.()
    closeHandlers = undefined
    handlers = undefined
    port.post({ type: 'reset' })
  }

  port.listen((message) => {
    if (message.type === 'start') start(message)
    else if (message.type === 'reset') void reset()
    else if (message.type === 'call') void serve(message)
    else calls.get(message.id)?.take(message)
  })
}

/** One call in the worker. */
class ServedCall implements CallContext<unknown, unknown> {
  readonly #port: WorkerPort
  readonly #id: number
  readonly #abort = new AbortController()
  readonly #queries = new Map<number, PromiseWithResolvers<unknown>>()
  #requested = 0
  #mayGive: number | undefined
  #wake: () => void = () => undefined

  constructor(port: WorkerPort, id: number, ahead: number | undefined) {
    this.#port = port
    this.#id = id
    this.#mayGive = ahead
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  readonly notify: CallContext<unknown>['notify'] = (notice, transfer) =>
    this.#send({ type: 'notice', id: this.#id, notice }, transfer)

  readonly ask = (query: unknown): Promise<unknown> => {
    this.signal.throwIfAborted()
    this.#requested += 1
    const response = Promise.withResolvers<unknown>()
    this.#queries.set(this.#requested, response)
    this.#send({ type: 'ask', id: this.#id, ask: this.#requested, query })
    return response.promise
  }

  take(message: Message<'abort' | 'more' | 'answer' | 'refuse'>): void {
    if (message.type === 'abort') {
      this.#abort.abort(unpackError(message.error))
      for (const { reject } of this.#queries.values()) reject(this.signal.reason)
      this.#queries.clear()
      this.#wake()
    } else if (message.type === 'more') {
      this.#mayGive = (this.#mayGive ?? 0) + 1
      this.#wake()
    } else {
      const query = this.#queries.get(message.ask)
      this.#queries.delete(message.ask)
      if (message.type === 'answer') query?.resolve(message.value)
      else query?.reject(unpackError(message.error))
    }
  }

  async run(handler: Handler, argument: unknown): Promise<void> {
    const given = handler(argument, this)
    if (this.#mayGive !== undefined) {
      await this.#giveAll(given as AsyncIterable<unknown>)
      this.#send({ type: 'result', id: this.#id, value: undefined })
      return
    }
    const [value, list] = unwrap(await given)
    this.#send({ type: 'result', id: this.#id, value }, list)
  }

  /** Sends no more chunks than requested, and checks for an abort between two chunks. */
  async #giveAll(chunks: AsyncIterable<unknown>): Promise<void> {
    for await (const chunk of chunks) {
      const [value, list] = unwrap(chunk)
      this.#send({ type: 'chunk', id: this.#id, value }, list)
      this.#mayGive = (this.#mayGive ?? 0) - 1
      await nextRound()
      while (this.#mayGive <= 0 && !this.signal.aborted) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      this.signal.throwIfAborted()
    }
  }

  #send(message: FromWorker, list?: Transfer<unknown>['list']): void {
    this.#port.post(message, list)
  }
}

function unwrap(given: unknown): [unknown, Transfer<unknown>['list']?] {
  return given instanceof Transfer ? [given.value, given.list] : [given]
}
