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
  counts?: { rowsRead: number; rowsLoaded: number; rejected: number }
}
