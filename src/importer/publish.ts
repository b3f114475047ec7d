import { publishNewLayer, refreshLayer } from '../catalog/publish.ts'
import type { LayerDetails, LayerRecord, StoreRecord } from '../catalog/records.ts'
import { lockWorkspace } from '../catalog/workspaces.ts'
import type { Queryable } from '../db/connection.ts'
import type { LayerDescription, RasterDescription } from '../formats/format.ts'
import { matchCrs } from '../geo/crs-database.ts'
import type { Schema } from '../geo/schema.ts'
import type { TableDescription } from '../stores/store.ts'
import type { ImporterParts } from './parts.ts'
import { now } from './parts.ts'
import type { ImportRecord, TaskRecord } from './records.ts'
import { saveTaskAndTell, taskAfter } from './settle.ts'

/** Where the published rows stand. */
export interface Place {
  storeId: number
  table: string
  layerName: string
  isNewLayer: boolean
}

/** What the published layer holds. */
export type Published = Pick<TableDescription, 'schema' | 'envelope' | 'featureCount'> &
  Pick<LayerDescription, 'raster'> &
  Pick<LayerDetails, 'times'>

/** The CRS that the client set, otherwise that of the file. */
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
): Pick<LayerDetails, 'envelope' | 'featureCount' | 'schema' | 'raster' | 'times' | 'crs' | 'srs'> {
  const envelope = task.layer?.bounds ?? table.envelope
  return {
    schema: table.schema,
    ...(table.raster === undefined ? {} : { raster: table.raster }),
    ...(table.raster === undefined ? crsOf(table.schema, task) : rasterCrsOf(table.raster, task)),
    ...(envelope === undefined ? {} : { envelope }),
    ...(table.times === undefined ? {} : { times: table.times }),
    ...(table.featureCount === undefined ? {} : { featureCount: table.featureCount }),
  }
}

async function putLayer(
  parts: ImporterParts,
  db: Queryable,
  record: ImportRecord,
  task: TaskRecord,
  place: Place,
  facts: ReturnType<typeof factsOf>,
): Promise<LayerRecord> {
  const { storeId, table: nativeName, layerName: name } = place
  const { workspace } = record
  const at = now(parts)
  if (!place.isNewLayer) {
    const refreshed = await refreshLayer(db, { workspace, name }, { storeId, nativeName, details: facts }, at)
    if (refreshed !== undefined) return refreshed
  }
  const { title = name, originalName = name, style = 'generic', abstract, description } = task.layer ?? {}
  const details: LayerDetails = {
    kind: task.kind ?? 'vector',
    title,
    originalName,
    style,
    ...(abstract === undefined ? {} : { abstract }),
    ...(description === undefined ? {} : { description }),
    ...facts,
  }
  return publishNewLayer(db, { workspace, name, storeId, nativeName, details }, at)
}

/** Publishes the layer and completes its task in one transaction. `makeStore` gives a store that is part of it. */
export async function publishTask(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  place: Place,
  table: Published,
  makeStore?: (db: Queryable) => Promise<StoreRecord>,
): Promise<TaskRecord> {
  const facts = factsOf(table, task)
  const { saved, layer } = await parts.database.transaction(async (db) => {
    await lockWorkspace(db, record.workspace)
    const store = await makeStore?.(db)
    const settled = store === undefined ? place : { ...place, storeId: store.id }
    const published = await putLayer(parts, db, record, task, settled, facts)
    const { run: _run, errorMessage: _error, ...rest } = taskAfter(task, { type: 'completed' })
    const complete: TaskRecord = {
      ...rest,
      ...(store === undefined
        ? {}
        : { target: { workspace: store.workspace, name: store.name, type: store.type } }),
      ...(task.layer === undefined
        ? {}
        : {
            layer: {
              ...task.layer,
              name: published.name,
              nativeName: published.nativeName,
              style: published.details.style,
              ...(facts.srs === undefined ? {} : { srs: facts.srs }),
              ...(facts.envelope === undefined ? {} : { bounds: facts.envelope }),
            },
          }),
    }
    return { saved: await saveTaskAndTell(parts, db, complete), layer: published }
  })
  parts.events.emit('layer.published', {
    workspace: layer.workspace,
    layer: layer.name,
    mode: task.updateMode,
  })
  return saved
}
