import type { ChangeCounts, NotRetained, TableSnapshot } from '../../stores/index.ts'
import type { CorrectionLoad } from './correction.ts'

/** Target of a load, stored before the load starts. */
export interface TaskLoad {
  loadId: string
  storeId: number
  table: string
  /** The layer to publish under a free name like this one, or the layer to refresh. */
  layerName: string
  isNewLayer: boolean
  /** A new file for the rows, to which the store is switched; removed if the load fails. */
  movedTo?: string
  /** Granule folder of a mosaic; granules of this load are in the subfolder named after the load id. */
  granuleFolder?: string
  /** Recorded just before the commit of the store. */
  token?: string
  /** Id under which the previous contents of the table are retained, or the reason why they are not. */
  keep?: { id: string } | NotRetained
  /** Retained contents, recorded with the token. */
  kept?: TableSnapshot | NotRetained
  /** Row changes of an `UPSERT`, recorded with the token. */
  changes?: ChangeCounts
  counts?: { rowsRead: number; rowsLoaded: number; rejected: number; mended?: number }
  /** True for a load of corrected rows. */
  isMended?: true
  /** Result of the corrected rows, recorded with the token. */
  mended?: CorrectionLoad
}
