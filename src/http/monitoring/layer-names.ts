import type { HttpContext } from '../app-types.ts'

const keptMs = 10_000

/** Names of the layers of this server, read anew when one came or went here, and after ten seconds. */
export class LayerNames {
  readonly #context: Pick<HttpContext, 'database' | 'clock'>
  #names: Promise<ReadonlySet<string>> | undefined
  #readAt = 0

  constructor(context: Pick<HttpContext, 'database' | 'events' | 'clock'>) {
    this.#context = context
    for (const fact of ['layer.published', 'layer.removed'] as const)
      context.events.on(fact, () => {
        this.#names = undefined
      })
  }

  /** As `workspace:name`. */
  names(): Promise<ReadonlySet<string>> {
    const now = this.#context.clock.now().getTime()
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
    const { kysely } = this.#context.database
    const rows = await kysely.selectFrom('layers').select(['workspace', 'name']).execute()
    return new Set(rows.map(({ workspace, name }) => `${workspace}:${name}`))
  }
}
