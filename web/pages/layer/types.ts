import type { Call } from '../../api/client.ts'

/** Metadata of a layer that its maintainer writes. */
export interface AboutLayer {
  title?: string
  abstract?: string
  keywords?: string[]
  attribution?: string
  licence?: string
  contact?: string
  owner?: string
  citation?: string
  doi?: string
}

/** Permitted changes of a table that was published in place. */
export type Managed = false | 'edit' | 'load'

/** A layer, from `/rest/layers/<layer>`. */
export interface Layer extends AboutLayer {
  name: string
  workspace: { name: string }
  type: 'VECTOR' | 'RASTER'
  store: { '@class': string; name: string }
  srs?: string
  bbox?: { minx: number; miny: number; maxx: number; maxy: number; crs?: string }
  attributes: { name: string; binding: string }[]
  version: number
  /** Permitted changes of its table, if that was published in place. */
  managed?: Managed
  /** Columns of that table that were dropped or changed since. */
  altered?: string[]
  /** Why a raster that was published in place cannot be read, or files of a mosaic that are not shown. */
  fault?: string
  /** Absent if the workspace decides. */
  public?: boolean
  /** Time for which others may still show copies of data that are no longer public. */
  copiesLiveSeconds?: number
  featureCount?: number
  dateModified: string
}

export interface LayerReply {
  layer: Layer
}

/** Catalogue entry of a layer, besides that. */
export interface Entry {
  name: string
  workspace: string
  kind: 'vector' | 'raster' | 'table'
  geometryType?: string
  rows?: number
  bounds?: number[]
  dateModified: string
  /** True if everyone may read it, by its own setting or its workspace's. */
  public: boolean
  thumbnail?: string
  problem?: { code: 'store-away' | 'source-gone' | 'columns-changed' | 'no-crs' | 'empty' }
  /** For staff: of 30 days, the latest last. */
  requests?: { total: number; days: number[] }
}

export interface Counts {
  added: number
  changed: number | null
  removed: number
  same: number
}

export interface Version {
  version: number
  created: string
  user?: string | null
  cause: string
  rows: number | null
  changes: Counts | null
  restorable: boolean
  reason: string | null
  keptUntil: string | null
  pinned: boolean
}

export function layerPath(id: string): string {
  return `/rest/layers/${encodeURIComponent(id)}`
}

/** The call by which something of a layer is changed. */
export function changeCall(
  id: string,
  layer: AboutLayer | { public: boolean | 'workspace' } | { managed: Managed } | { altered: [] },
): Call {
  return { method: 'PUT', path: layerPath(id), body: { layer } }
}
