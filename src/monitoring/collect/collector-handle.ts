import type { Logger } from '../../core/log/logger.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import type { WorkerHandle } from '../../core/workers/worker-handle.ts'
import type { CollectorSettings, TickReport } from './collector.ts'
import type { CollectorWork } from './collector-thread.ts'
import type { RequestBatch } from './server/append-requests.ts'
import type { CollectedService } from './service-collector.ts'

const collectorThread = new URL('./collector-thread.ts', import.meta.url)
const firstPauseMs = 1000
const longestPauseMs = 60_000

interface Notice {
  level: 'debug' | 'info' | 'warn' | 'error'
  facts: object
  message: string
}

/**
 * Main-thread handle of the collector thread: starts it when called, and again after it has died, with
 * pauses.
 */
export class CollectorHandle {
  readonly #settings: CollectorSettings
  readonly #log: Logger
  readonly #entry: URL
  #worker: WorkerHandle<CollectorWork> | undefined
  #services: CollectedService[] = []
  #deaths = 0
  #mayStartAt = 0

  /** `entry` is the thread's file. */
  constructor(settings: CollectorSettings, log: Logger, entry = collectorThread) {
    this.#settings = settings
    this.#log = log
    this.#entry = entry
  }

  async own(batch: RequestBatch): Promise<void> {
    await this.#running().call('own', batch)
  }

  async setServices(services: CollectedService[]): Promise<void> {
    this.#services = services
    await this.#running().call('services', services)
  }

  async removeService(id: number): Promise<void> {
    await this.#running().call('removeService', id)
  }

  async tick(now: number): Promise<TickReport> {
    const report = await this.#running().call('tick', now)
    this.#deaths = 0
    return report
  }

  async catchUp(now: number): Promise<TickReport> {
    return this.#running().call('catchUp', now)
  }

  /** Waits until the thread has finished its current work. */
  async close(): Promise<void> {
    await this.#worker?.call('close')
  }

  /** Ends the thread at once, for good. */
  async terminate(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#mayStartAt = Number.POSITIVE_INFINITY
    await worker?.end()
  }

  #running(): WorkerHandle<CollectorWork> {
    this.#worker ??= this.#start()
    return this.#worker
  }

  #start(): WorkerHandle<CollectorWork> {
    if (performance.now() < this.#mayStartAt) throw new Error('The collector thread has ended')
    const worker = startThread<CollectorWork>(this.#entry, {
      data: this.#settings,
      onReport: (notice) => {
        const { level, facts, message } = notice as Notice
        this.#log[level](facts, message)
      },
      onEnd: (error) => this.#restartLater(worker, error),
    })
    worker.call('services', this.#services).catch(() => undefined)
    return worker
  }

  #restartLater(worker: WorkerHandle<CollectorWork>, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#deaths, longestPauseMs)
    this.#deaths += 1
    this.#mayStartAt = performance.now() + pauseMs
    this.#log.error(
      { err: error, pauseMs },
      'the collector thread of monitoring has ended; it is started anew',
    )
  }
}
