import type { Database } from '../../core/db/connection.ts'
import type { LayerRecord } from '../records.ts'
import { layerFingerprints } from '../rows/layer-fingerprint.ts'
import { findLayer } from '../rows/layer-rows.ts'

const rememberedLayers = 2000

interface Remembered {
  layer: LayerRecord
  /** Value of `Database.writes` before the lookup. */
  writes: number | undefined
}

/**
 * Finds layers and caches their documents: any change of a layer increases its version, so only then is its
 * document read again. If no other process writes to the catalogue and nothing was written since, no query is
 * needed.
 */
export class LayerLookup {
  readonly #database: Database
  readonly #findFingerprint: ReturnType<typeof layerFingerprints>
  readonly #known = new Map<string, Remembered>()

  constructor(database: Database) {
    this.#database = database
    this.#findFingerprint = layerFingerprints(database.kysely)
  }

  async find(workspace: string, name: string): Promise<LayerRecord | undefined> {
    const key = `${workspace}\n${name}`
    const writes = this.#database.writes()
    const known = this.#known.get(key)
    if (known !== undefined && writes !== undefined && known.writes === writes) return known.layer
    const fingerprint = await this.#findFingerprint(workspace, name)
    if (fingerprint === undefined) return undefined
    const isSame = known?.layer.id === fingerprint.id && known.layer.version === fingerprint.version
    const layer = isSame
      ? withState(known.layer, fingerprint.seenState)
      : await findLayer(this.#database.kysely, workspace, name)
    return layer && this.#remember(key, { layer, writes }).layer
  }

  #remember(key: string, found: Remembered): Remembered {
    this.#known.delete(key)
    this.#known.set(key, found)
    const [oldest] = this.#known.keys()
    if (this.#known.size > rememberedLayers && oldest !== undefined) this.#known.delete(oldest)
    return found
  }
}

function withState(layer: LayerRecord, seenState: string | undefined): LayerRecord {
  return layer.seenState === seenState ? layer : { ...layer, seenState }
}
