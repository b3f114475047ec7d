import type { EventBus } from '../../../../core/events/events.ts'
import type { Clock } from '../../../../core/time/clock.ts'

const keptMs = 10_000

export interface LayerNamesDeps {
  layers: { listNames(): Promise<{ workspace: string; name: string }[]> }
  events: EventBus
  clock: Clock
}

/**
 * Names of this server's layers, read again when a layer is created or deleted here, and after ten seconds.
 */
export class LayerNames {
  readonly #deps: LayerNamesDeps
  #names: Promise<ReadonlySet<string>> | undefined
  #readAt = 0

  constructor(deps: LayerNamesDeps) {
    this.#deps = deps
    for (const fact of ['layer.published', 'layer.removed'] as const)
      deps.events.onEveryServer(fact, () => {
        this.#names = undefined
      })
  }

  /** As `workspace:name`. */
  names(): Promise<ReadonlySet<string>> {
    const now = this.#deps.clock.now().getTime()
    if (this.#names === undefined || Math.abs(now - this.#readAt) > keptMs) {
      this.#readAt = now
      const names = this.#read()
      names.catch(() => {
        if (this.#names === names) this.#names = undefined
      })
      this.#names = names
    }
    return this.#names
  }

  async #read(): Promise<ReadonlySet<string>> {
    const rows = await this.#deps.layers.listNames()
    return new Set(rows.map(({ workspace, name }) => `${workspace}:${name}`))
  }
}
