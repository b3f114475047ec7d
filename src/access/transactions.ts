import type { Vault } from '../core/secrets/vault.ts'
import type { Clock } from '../core/time/clock.ts'

const maxUsed = 10_000

/**
 * Encrypted data that a browser carries between two steps of a sign-in. Each text is good for one kind of step, for
 * a short time, and on this server only once.
 */
export class Transactions {
  readonly #vault: Vault
  readonly #clock: Clock
  /** Ends of the texts that were used. */
  readonly #used = new Map<string, number>()

  constructor({ vault, clock }: { vault: Vault; clock: Clock }) {
    this.#vault = vault
    this.#clock = clock
  }

  seal(kind: string, data: Readonly<Record<string, unknown>>, seconds: number): string {
    const until = this.#clock.now().getTime() + seconds * 1000
    return Buffer.from(this.#vault.seal(JSON.stringify({ kind, until, data })), 'base64').toString(
      'base64url',
    )
  }

  /** Returns the data, and makes the text useless; undefined for a text of another kind, a late or used one. */
  take(kind: string, text: string): Readonly<Record<string, unknown>> | undefined {
    const now = this.#clock.now().getTime()
    const found = this.#open(text)
    if (found === undefined || found.kind !== kind || found.until < now || this.#used.has(text))
      return undefined
    for (const [used, until] of this.#used)
      if (until < now || this.#used.size >= maxUsed) this.#used.delete(used)
    this.#used.set(text, found.until)
    return found.data
  }

  #open(text: string): { kind: string; until: number; data: Record<string, unknown> } | undefined {
    try {
      return JSON.parse(this.#vault.open(Buffer.from(text, 'base64url').toString('base64')))
    } catch {
      return undefined
    }
  }
}
