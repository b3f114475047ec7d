/** A layer, as `/rest/layers/<layer>` tells. */
export interface LayerReply {
  layer: {
    name: string
    title?: string
    abstract?: string
    srs?: string
    bbox?: { minx: number; miny: number; maxx: number; maxy: number; crs?: string }
    attributes: { name: string; binding: string }[]
    version?: number
  }
}

export interface Version {
  version: number
  created: string
  user?: string
  cause: string
  rows: number | null
  restorable: boolean
  reason: string | null
}
