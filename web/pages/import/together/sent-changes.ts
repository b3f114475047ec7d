import { signal } from '@preact/signals'
import { reasonOf } from '../../../parts/states.tsx'
import { type Call, call, NoAnswer } from '../../../wire/client.ts'

/** A change of one layer among many. */
export interface Change {
  /** What the layer is called. */
  name: string
  call: Call
}

/** Why the server refused some changes: all that it refused in the same words. */
export interface Refused {
  reason: string
  changes: Change[]
}

/** Changes of many layers, sent one after the other: how far they are, what was refused, and their end. */
export class SentChanges {
  readonly done = signal(0)
  readonly all = signal(0)
  readonly isSending = signal(false)
  readonly refused = signal<readonly Refused[]>([])
  /** Those that were not sent, since somebody stopped or no answer came. */
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

  /** Whether the server has answered. */
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
