import type { Catalog } from '../../../catalog/index.ts'
import type { Dialect } from '../../../core/config/settings.ts'
import type { Importer } from '../../../importer/index.ts'

/** Responses that continue until the client or the server ends them. */
export class OpenStreams {
  readonly #ends = new Set<() => void>()

  /** Returns the function that removes the stream. */
  add(end: () => void): () => void {
    this.#ends.add(end)
    return () => this.#ends.delete(end)
  }

  endAll(): void {
    for (const end of [...this.#ends]) end()
  }
}

/** Dependencies of the importer's endpoints. */
export interface ImporterApiDeps {
  importer: Importer
  catalog: Catalog
  dialect: Dialect
  /** Most bytes of an upload. */
  maxUploadBytes: number
  /** Folders of the operator's own that uploads may name files of. */
  importRoots: readonly string[]
  /** Streams of events that do not end by themselves. */
  streams: OpenStreams
}

/** Dependencies of handlers whose responses depend on the dialect. */
export type DialectDeps = Pick<ImporterApiDeps, 'importer' | 'dialect'>
