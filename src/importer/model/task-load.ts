import type { ChangeCounts } from '../../stores/changes.ts'
import type { KeptState, NotKept } from '../../stores/store.ts'
import type { MendedLoad } from './mending.ts'

/** Where a load goes, known before it begins. */
export interface TaskLoad {
  loadId: string
  storeId: number
  table: string
  /** The layer to publish under a free name like this one, or the layer to refresh. */
  layerName: string
  isNewLayer: boolean
  /** A file of ours that the rows go to and the store is pointed to; removed when the load fails. */
  movedTo?: string
  /** Of a mosaic: its folder of ours; what this load puts there stands below under the load's id. */
  granuleFolder?: string
  /** Recorded just before the store's commit. */
  token?: string
  /** Under which id what the table was before is kept, or why it is not. */
  keep?: { id: string } | NotKept
  /** What was kept, recorded with the token. */
  kept?: KeptState | NotKept
  /** Of an `UPSERT` what becomes of the rows, recorded with the token. */
  changes?: ChangeCounts
  counts?: { rowsRead: number; rowsLoaded: number; rejected: number; mended?: number }
  /** Of mended rows. */
  isMended?: true
  /** What their load comes to, recorded with the token. */
  mended?: MendedLoad
}
