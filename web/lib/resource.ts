import { type ReadonlySignal, signal } from '@preact/signals'

/** State of a value from the server. */
export interface Loadable<T> {
  value?: T
  /** Why the last try gave nothing; what was there before stays shown. */
  error?: unknown
  isLoading: boolean
  /** Time when the value was received. */
  at?: Date
}

/** A value loaded from the server repeatedly; the last request wins. */
export class Resource<T> {
  readonly #state = signal<Loadable<T>>({ isLoading: false })
  readonly #ask: (signal: AbortSignal) => Promise<T>
  #asking: AbortController | undefined

  constructor(ask: (signal: AbortSignal) => Promise<T>) {
    this.#ask = ask
  }

  get state(): ReadonlySignal<Loadable<T>> {
    return this.#state
  }

  get value(): T | undefined {
    return this.#state.value.value
  }

  async load(): Promise<void> {
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    const { error: _old, ...before } = this.#state.peek()
    this.#state.value = { ...before, isLoading: true }
    try {
      const value = await this.#ask(asking.signal)
      if (this.#asking === asking) this.#state.value = { value, isLoading: false, at: new Date() }
    } catch (error) {
      if (this.#asking === asking) this.#state.value = { ...this.#state.peek(), error, isLoading: false }
    }
  }

  /** Puts a value in its place that is known otherwise. */
  set(value: T): void {
    this.#state.value = { value, isLoading: false, at: new Date() }
  }

  /** Aborts running requests. */
  stop(): void {
    this.#asking?.abort()
    this.#asking = undefined
  }
}
