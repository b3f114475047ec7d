import { randomUUID } from 'node:crypto'
import { without } from '../../../lib/defined.ts'
import { ExceptionQuota } from '../exception-quota.ts'
import type { OwnBatch } from './append-own.ts'
import type { LoneException, OwnRequest } from './own-request.ts'

const maxWaiting = 50_000
const maxBatch = 2000

/**
 * Queue of this server's requests for the collector thread. A batch that could not be written is sent again,
 * with the same number, until it is written. If too many wait, further ones are dropped and counted.
 */
export class OwnRequests {
  readonly #quota = new ExceptionQuota()
  readonly #source = `own:${randomUUID()}`
  #requests: OwnRequest[] = []
  #exceptions: LoneException[] = []
  #sending: Pick<OwnBatch, 'requests' | 'exceptions'> | undefined
  #number = 1
  #dropped = 0

  /** Number of requests dropped since the start. */
  get dropped(): number {
    return this.#dropped
  }

  get waiting(): number {
    const sending = this.#sending
    const underWay = sending === undefined ? 0 : sending.requests.length + sending.exceptions.length
    return this.#requests.length + this.#exceptions.length + underWay
  }

  add(request: OwnRequest): void {
    if (this.#hasRoom()) this.#requests.push(this.#withinQuota(request))
  }

  addException(exception: LoneException): void {
    if (this.#hasRoom() && this.#quota.take(exception.created)) this.#exceptions.push(exception)
  }

  /** Passes the queue to `send`, one batch after the other. Throws the errors of `send`. */
  async flush(
    send: (batch: OwnBatch) => Promise<void>,
    { now, services }: Pick<OwnBatch, 'now' | 'services'>,
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

  #withinQuota(request: OwnRequest): OwnRequest {
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
