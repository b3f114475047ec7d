import type { Catalog, LayerRecord } from '../../../catalog/index.ts'
import { conflict } from '../../../core/errors/errors.ts'
import type { Running } from '../task-type.ts'

/** Update modes that remove existing rows. */
const replacing = ['CREATE', 'REPLACE']

/**
 * Returns the layer that the task published. Throws `Failure` if the layer has changed since in a way that
 * corrected rows no longer fit.
 */
export async function refuseOtherLayer(catalog: Catalog, { record, task }: Running): Promise<LayerRecord> {
  const { workspace } = record
  const name = task.layer?.name ?? ''
  const layer = await catalog.layers.find(workspace, name)
  const shown = `"${workspace}:${name}"`
  if (layer === undefined) {
    throw conflict('layer-gone', `The layer ${shown}, into which task ${task.id} loaded, no longer exists`)
  }
  const { published } = task
  if (published !== undefined && published.layerId !== layer.id) {
    throw conflict('layer-gone', `The layer ${shown} was replaced since task ${task.id} loaded into it`)
  }
  const versions = await catalog.versions.list({ id: layer.id, workspace, name, layer })
  const own = published?.version ?? versions.find(({ importId }) => importId === record.id)?.version ?? 0
  const later = versions.filter(({ version }) => version > own)
  const over = later.find(({ cause, mode = '' }) =>
    cause === 'import' ? replacing.includes(mode) : cause === 'restore' || cause === 'delete',
  )
  if (over !== undefined) {
    const what = over.cause === 'import' ? 'loaded again' : 'restored to an earlier version'
    const text = `The layer ${shown} was ${what} at ${over.createdAt}, as version ${over.version}, after task ${task.id}: send the rows to that import, or import them again`
    throw conflict('layer-replaced', text)
  }
  return layer
}
