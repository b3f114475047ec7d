import type {
  Catalog,
  CatalogTransaction,
  ContentEnd,
  LayerDetails,
  LayerRecord,
  StoreRecord,
} from '../../catalog/index.ts'
import { defined, without } from '../../core/values/defined.ts'
import type { LayerDescription, RasterDescription } from '../../formats/worker.ts'
import { matchCrs } from '../../geo/crs-database.ts'
import type { Schema } from '../../geo/schema.ts'
import type { ChangeCounts, TableDescription } from '../../stores/index.ts'
import { defaultStyleName } from '../../styles/worker.ts'
import type { ImportRecord, TaskLayer, TaskRecord } from '../model/model.ts'
import { identityColumn, loadedLayer, taskAfter, titledSchema } from '../model/model.ts'
import type { Saving } from '../records/records.ts'
import { saveTaskAndPublish } from '../records/records.ts'
import { readOwnStyle } from './style-file.ts'

/** Location of the published rows. */
export interface PublishedTable {
  storeId: number
  table: string
  layerName: string
  isNewLayer: boolean
  /** Fate of the layer's previous contents. */
  end?: ContentEnd
  /** Row changes of an `UPSERT`. */
  changes?: ChangeCounts
  /** Load mode and number of rows, where they differ from the task: for corrected rows. */
  loaded?: { mode: string; rows: number; user?: string }
}

/** Contents of the published layer. */
export type Published = Pick<TableDescription, 'schema' | 'envelope' | 'featureCount'> &
  Pick<LayerDescription, 'raster'> &
  Pick<LayerDetails, 'times'>

function endOf({ end }: PublishedTable): ContentEnd {
  return end ?? { form: 'lost', reason: 'The previous contents were not stored' }
}

/** Returns the CRS set by the client, otherwise that of the file. */
function rasterCrsOf({ crs }: RasterDescription, task: TaskRecord): Pick<LayerDetails, 'crs' | 'srs'> {
  const srs = task.layer?.srs ?? crs?.srs
  return srs === undefined ? {} : { srs, crs: srs === crs?.srs ? crs : { srs } }
}

function crsOf(schema: Schema, task: TaskRecord): Pick<LayerDetails, 'crs' | 'srs'> {
  const crs = schema.geometry?.crs
  const srs = crs === undefined ? undefined : (crs.srs ?? matchCrs(crs))
  if (srs !== undefined) return { srs, crs: { ...crs, srs } }
  const declared = schema.geometry === undefined ? undefined : task.layer?.srs
  return declared === undefined ? {} : { srs: declared, crs: { ...crs, srs: declared } }
}

function factsOf(
  table: Published,
  task: TaskRecord,
): Pick<
  LayerDetails,
  'envelope' | 'featureCount' | 'schema' | 'identity' | 'raster' | 'times' | 'crs' | 'srs'
> {
  const envelope = task.layer?.bounds ?? table.envelope
  return {
    schema: titledSchema(task.layer, table.schema),
    identity: identityColumn(task, table.schema),
    raster: table.raster,
    ...(table.raster === undefined ? crsOf(table.schema, task) : rasterCrsOf(table.raster, task)),
    envelope,
    times: table.times,
    featureCount: table.featureCount,
  }
}

/** Returns the name of the layer's style. A style that came with the data is stored first. */
async function styleOf(
  change: CatalogTransaction,
  workspace: string,
  { layer, kind = 'vector' }: TaskRecord,
  { schema }: ReturnType<typeof factsOf>,
  document: string | undefined,
): Promise<string> {
  const own = layer?.ownStyle
  if (layer === undefined || (own !== undefined && document === undefined)) {
    return defaultStyleName(schema.geometry?.type, kind)
  }
  if (own === undefined || document === undefined) return layer.style
  return change.addStyle(workspace, { name: layer.style, format: own.format, document })
}

interface Settled {
  publishedTable: PublishedTable
  facts: ReturnType<typeof factsOf>
  /** Style document that belongs to the data. */
  ownDocument: string | undefined
}

async function putLayer(
  change: CatalogTransaction,
  record: ImportRecord,
  task: TaskRecord,
  { publishedTable, facts, ownDocument }: Settled,
): Promise<LayerRecord> {
  const { storeId, table: nativeName, layerName: name } = publishedTable
  const { workspace } = record
  const loaded = {
    mode: task.updateMode,
    rows: task.rowsLoaded ?? 0,
    importId: record.id,
    user: record.user,
    changes: publishedTable.changes,
    ...defined(publishedTable.loaded ?? {}),
  }
  if (!publishedTable.isNewLayer) {
    const refresh = { storeId, nativeName, details: facts, end: endOf(publishedTable) }
    const refreshed = await change.refreshLayer({ workspace, name }, refresh, loaded)
    if (refreshed !== undefined) return refreshed
  }
  const { title = name, originalName = name, abstract, description } = task.layer ?? {}
  const style = await styleOf(change, workspace, task, facts, ownDocument)
  const details: LayerDetails = {
    kind: task.kind ?? 'vector',
    title,
    originalName,
    style,
    abstract,
    description,
    ...facts,
  }
  return change.publishLayer({ workspace, name, storeId, nativeName, details }, loaded)
}

function withoutOwnStyle({ ownStyle: _ownStyle, ...layer }: TaskLayer): TaskLayer {
  return layer
}

/** Dependencies for publishing a layer and completing its task in one transaction. */
export interface PublishDeps extends Saving {
  catalog: Catalog
}

/**
 * Publishes the layer and completes its task in one transaction. `makeStore` returns the store, created in
 * the same transaction.
 */
export async function publishTask(
  deps: PublishDeps,
  record: ImportRecord,
  task: TaskRecord,
  publishedTable: PublishedTable,
  table: Published,
  makeStore?: (change: CatalogTransaction) => Promise<StoreRecord>,
): Promise<TaskRecord> {
  const facts = factsOf(table, task)
  const own = publishedTable.isNewLayer ? task.layer?.ownStyle : undefined
  const ownDocument = own === undefined ? undefined : await readOwnStyle(own).catch(() => undefined)
  return deps.catalog.transaction(async (change, db) => {
    await change.lockWorkspace(record.workspace)
    const store = await makeStore?.(change)
    const settled = store === undefined ? publishedTable : { ...publishedTable, storeId: store.id }
    const published = await putLayer(change, record, task, { publishedTable: settled, facts, ownDocument })
    const rest = without(
      taskAfter(task, { type: 'completed' }),
      'run',
      'errorMessage',
      'errorCode',
      'stopped',
    )
    const complete: TaskRecord = {
      ...rest,
      published: {
        layerId: published.id,
        version: published.version,
        declared: { srs: task.layer?.srs, bounds: task.layer?.bounds },
      },
      target:
        store === undefined
          ? rest.target
          : { workspace: store.workspace, name: store.name, type: store.type },
      layer:
        task.layer === undefined
          ? rest.layer
          : {
              ...withoutOwnStyle(task.layer),
              name: published.name,
              nativeName: published.nativeName,
              style: published.details.style,
              ...defined({ srs: facts.srs, bounds: facts.envelope }),
              ...(facts.raster === undefined ? { loaded: loadedLayer(task.layer, facts.schema) } : {}),
            },
    }
    return saveTaskAndPublish(deps, db, complete)
  })
}

export { copyAll, copyFolder, fillFolder, finalizeCopy, storeFolder } from './file-store.ts'
export { readOwnStyle, withOwnStyle } from './style-file.ts'
