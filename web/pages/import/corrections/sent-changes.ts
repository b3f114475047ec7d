import { signal } from '@preact/signals'
import { type Call, call, NoAnswer } from '../../../api/client.ts'
import { reasonOf } from '../../../components/states.tsx'

/** A change of one layer among many. */
export interface Change {
  /** Name of the layer. */
  name: string
  call: Call
}

/** Why the server refused some changes: all that it refused in the same words. */
export interface Refused {
  reason: string
  changes: Change[]
}

/** Changes of many layers, sent one after the other: progress, refused ones, and the end. */
export class SentChanges {
  readonly done = signal(0)
  readonly all = signal(0)
  readonly isSending = signal(false)
  readonly refused = signal<readonly Refused[]>([])
  /** Changes that were not sent, because the reader stopped or the server did not respond. */
  readonly unsent = signal<readonly Change[]>([])
  #isStopped = false

  async send(changes: readonly Change[]): Promise<void> {
    if (this.isSending.peek() || changes.length === 0) return
    this.#isStopped = false
    this.done.value = 0
    this.all.value = changes.length
    this.refused.value = []
    this.unsent.value = []
    this.isSending.value = true
    for (const [index, change] of changes.entries()) {
      const isSent = !this.#isStopped && (await this.#send(change))
      if (!isSent) {
        this.unsent.value = changes.slice(index)
        break
      }
      this.done.value = index + 1
    }
    this.isSending.value = false
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Returns true if the server responded. */
  async #send(change: Change): Promise<boolean> {
    try {
      await call(change.call)
    } catch (error) {
      if (error instanceof NoAnswer) return false
      this.#refuse(reasonOf(error), change)
    }
    return true
  }

  #refuse(reason: string, change: Change): void {
    const before = this.refused.peek()
    const known = before.find((one) => one.reason === reason)
    this.refused.value =
      known === undefined
        ? [...before, { reason, changes: [change] }]
        : before.map((one) => (one === known ? { reason, changes: [...one.changes, change] } : one))
  }
}
