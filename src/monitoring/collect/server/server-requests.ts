import { randomUUID } from 'node:crypto'
import { without } from '../../../core/values/defined.ts'
import { ExceptionQuota } from '../exception-quota.ts'
import type { RequestBatch } from './append-requests.ts'
import type { LoneException, ServerRequest } from './server-request.ts'

const maxWaiting = 50_000
const maxBatch = 2000

/**
 * Queue of this server's requests for the collector thread. A batch that could not be written is sent again
 * with the same number until it is written. If the queue is full, further requests are dropped and counted.
 */
export class ServerRequests {
  readonly #quota = new ExceptionQuota()
  readonly #source = `own:${randomUUID()}`
  #requests: ServerRequest[] = []
  #exceptions: LoneException[] = []
  #sending: Pick<RequestBatch, 'requests' | 'exceptions'> | undefined
  #number = 1
  #dropped = 0

  /** Number of requests dropped since the start. */
  get dropped(): number {
    return this.#dropped
  }

  get waiting(): number {
    const sending = this.#sending
    const inFlight = sending === undefined ? 0 : sending.requests.length + sending.exceptions.length
    return this.#requests.length + this.#exceptions.length + inFlight
  }

  add(request: ServerRequest): void {
    if (this.#hasRoom()) this.#requests.push(this.#withinQuota(request))
  }

  addException(exception: LoneException): void {
    if (this.#hasRoom() && this.#quota.take(exception.created)) this.#exceptions.push(exception)
  }

  /** Passes the queue to `send`, one batch after the other. Throws the errors of `send`. */
  async flush(
    send: (batch: RequestBatch) => Promise<void>,
    { now, services }: Pick<RequestBatch, 'now' | 'services'>,
  ): Promise<void> {
    while (this.waiting > 0) {
      this.#sending ??= {
        requests: this.#requests.splice(0, maxBatch),
        exceptions: this.#exceptions.splice(0, maxBatch),
      }
      await send({ source: this.#source, number: this.#number, now, services, ...this.#sending })
      this.#sending = undefined
      this.#number += 1
    }
  }

  #withinQuota(request: ServerRequest): ServerRequest {
    if (request.exception === undefined || this.#quota.take(request.created)) return request
    const rest = without(request, 'exception')
    return rest
  }

  #hasRoom(): boolean {
    if (this.waiting < maxWaiting) return true
    this.#dropped += 1
    return false
  }
}
