import type { Queryable } from '../../core/db/connection.ts'
import { findFreeName } from '../../core/text/free-name.ts'
import { defined, without } from '../../core/values/defined.ts'
import { withTitles } from '../../geo/schema.ts'
import type { LayerDetails, LayerRecord } from '../records.ts'
import type { ContentEnd } from '../versions/contents.ts'
import { succeedContent } from '../versions/contents.ts'
import type { VersionNote } from '../versions/record-versions.ts'
import { findLayer, insertLayer, updateLayer } from './layer-rows.ts'
import { growBesides } from './version-numbers.ts'

/**
 * Returns a name for a new layer of `workspace`: the requested name, with 0, 1, 2, ... appended if it is in
 * use.
 */
export async function freeLayerName(db: Queryable, workspace: string, requested: string): Promise<string> {
  return findFreeName(requested, async (name) => (await findLayer(db, workspace, name)) !== undefined)
}

export interface Publication {
  workspace: string
  name: string
  storeId: number
  nativeName: string
  details: LayerDetails
}

/** Publishes a new layer under a free name; run it inside a transaction. */
export async function publishNewLayer(
  db: Queryable,
  publication: Publication,
  at: string,
  how: Partial<Omit<VersionNote, 'at'>> = {},
): Promise<LayerRecord> {
  const name = await freeLayerName(db, publication.workspace, publication.name)
  return insertLayer(db, { ...publication, name }, at, how)
}

/**
 * Change of an existing layer by a load: its contents and their location. Metadata and style stay; so do
 * column titles if the data have none.
 */
export interface Refresh {
  storeId: number
  nativeName: string
  details: Pick<
    LayerDetails,
    'envelope' | 'featureCount' | 'schema' | 'identity' | 'raster' | 'times' | 'crs' | 'srs'
  >
  /** Fate of the previous contents. */
  end: ContentEnd
}

export async function refreshLayer(
  db: Queryable,
  target: { workspace: string; name: string },
  refresh: Refresh,
  note: VersionNote,
): Promise<LayerRecord | undefined> {
  const layer = await findLayer(db, target.workspace, target.name)
  if (layer === undefined) return undefined
  const kept = without(layer.details, 'envelope', 'featureCount', 'times', 'srs', 'crs')
  const { storeId, nativeName, end } = refresh
  const titles = new Map(layer.details.schema.attributes.map(({ name, title }) => [name, title]))
  const schema = withTitles(refresh.details.schema, (name, title) => title ?? titles.get(name))
  const details = { ...kept, ...defined(refresh.details), schema }
  const from = { storeId: layer.storeId, table: layer.nativeName }
  await succeedContent(db, { storeId, table: nativeName }, { at: note.at, end, from })
  await updateLayer(db, { ...layer, storeId, nativeName, details }, note)
  await growBesides(db, { ...layer, storeId, nativeName }, note)
  return findLayer(db, target.workspace, target.name)
}
