import type { Queryable } from '../../core/db/connection.ts'
import { without } from '../../core/values/defined.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { EditCounts } from '../../stores/index.ts'
import type { LayerRecord } from '../records.ts'
import type { ContentEnd } from '../versions/contents.ts'
import { continueContent, succeedContent } from '../versions/contents.ts'
import { editMode } from '../versions/record-versions.ts'
import { findLayerById, updateLayer } from './layer-rows.ts'
import { growBesides } from './version-numbers.ts'

/** Change of a layer by the edit of a feature. */
export interface LayerEdit {
  layerId: number
  user?: string
  /** Fate of the previous contents; with `isJoined` to the contents before the earlier edits. */
  end: ContentEnd
  /** True if it continues the version of earlier edits. */
  isJoined: boolean
  since: string
  counts: EditCounts
  rowsAdded: number
  envelope?: Envelope
}

/** Stores the changes of a layer by an edit; run in a transaction. */
export async function editLayer(
  db: Queryable,
  layer: LayerRecord,
  edit: LayerEdit,
  at: string,
): Promise<LayerRecord | undefined> {
  const { end, isJoined, user, since, counts, rowsAdded, envelope } = edit
  const table = { storeId: layer.storeId, table: layer.nativeName }
  await (isJoined ? continueContent : succeedContent)(db, table, { at, end })
  const { featureCount } = layer.details
  const details = {
    ...without(layer.details, 'envelope', 'featureCount', 'times'),
    envelope,
    featureCount: featureCount === undefined ? undefined : featureCount + rowsAdded,
  }
  const note = {
    at,
    cause: 'edit' as const,
    mode: editMode,
    edits: { counts, since: isJoined ? since : at },
    user,
  }
  await updateLayer(db, { ...layer, details }, note)
  await growBesides(db, layer, note)
  return findLayerById(db, layer.id)
}
