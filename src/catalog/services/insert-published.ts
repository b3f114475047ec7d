import { conflict, explain, Failure } from '../../core/errors/errors.ts'
import { toLayerName } from '../../core/text/layer-name.ts'
import type { LayerDetails, LayerRecord, StoreRecord } from '../records.ts'
import { findLayerOfTable, insertLayer } from '../rows/layer-rows.ts'
import { freeLayerName } from '../rows/publication.ts'
import { requireLayerRoom } from '../rows/quota-rows.ts'
import { lockWorkspace } from '../rows/workspace-rows.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

/** Load mode of the version in which a table or raster is published in place. */
export const publishMode = 'PUBLISH'

/** Result of publishing several tables or rasters: the layers, and the ones that could not be published. */
export interface PublishedAll {
  published: LayerRecord[]
  failed: { table: string; code: string; reason: string }[]
}

/** Codes of failures that concern one table, while the store is available. */
const codesOfOneTable = new Set(['table-locked', 'foreign-server', 'store-timeout'])

/** Adds the layer that `publish` returns, or the reason why the table or raster cannot be published. */
export async function addTo(
  all: PublishedAll,
  table: string,
  publish: () => Promise<LayerRecord>,
): Promise<void> {
  try {
    all.published.push(await publish())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.kind === 'unavailable' && !codesOfOneTable.has(error.code)) throw error
    all.failed.push({ table, code: error.code, reason: explain(error) })
  }
}

/** A layer to be published over an existing table or raster. */
interface NewPublished {
  nativeName: string
  /** Name of the layer; absent: a free name derived from `proposedName`. */
  name: string | undefined
  proposedName: string
  details: LayerDetails
}

/**
 * Inserts the layer. Throws `Failure` if its name is taken, or if no name was given and another layer already
 * shows the table or raster.
 */
export async function insertPublished(
  { database, clock, events }: WriteDeps,
  { workspace, id: storeId }: StoreRecord,
  { nativeName, name, proposedName, details }: NewPublished,
): Promise<LayerRecord> {
  const { layer, fact } = await database.transaction(async (db) => {
    await lockWorkspace(db, workspace)
    await requireLayerRoom(db, workspace)
    const shown = await findLayerOfTable(db, storeId, nativeName)
    if (shown !== undefined && name === undefined)
      throw conflict(
        'table-published',
        `${details.kind === 'raster' ? 'Raster' : 'Table'} "${nativeName}" is published as layer "${workspace}:${shown.name}" already: give the new layer another name, or use that layer`,
      )
    const free = name ?? (await freeLayerName(db, workspace, toLayerName(proposedName)))
    const taken = name !== undefined && (await freeLayerName(db, workspace, name)) !== name
    if (taken) throw conflict('layer-exists', `Layer "${workspace}:${free}" exists already`)
    const row = { workspace, name: free, storeId, nativeName, details }
    const layer = await insertLayer(db, row, nowOf(clock), { mode: publishMode })
    const fact = { workspace, layer: layer.name, mode: publishMode, rows: details.featureCount ?? 0 }
    await events.record(db, { name: 'layer.published', fact })
    return { layer, fact }
  })
  events.emit('layer.published', fact)
  return layer
}
