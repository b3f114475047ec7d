import type { RemoteCredentials } from '../remote/protocol.ts'
import type { RemoteAccess } from '../remote/remote-access.ts'

/** Kinds of services whose features can be read. */
export const serviceKinds = ['ogcapi-features', 'wfs', 'arcgis-featureserver'] as const
type ServiceKind = (typeof serviceKinds)[number]

/** Reads only features that have changed since the last run. */
interface Incremental {
  /** Attribute with the edit time; default: what the service declares. OGC API Features uses `datetime`. */
  field?: string
  /** Number of runs after which everything is read. */
  fullEvery: number
}

/** Features of one layer of a service. */
export interface ServiceData {
  kind: ServiceKind
  /** Address of the service, without credentials. */
  location: string
  /** Name of the collection or feature type, number or name of the layer. */
  layer: string
  username?: string
  domain?: string
  /** Filter in the language of the service: `where` of ArcGIS, CQL2 text of OGC API Features. */
  where?: string
  incremental?: Incremental
}

/** Options for reading a service. */
export interface ServiceReadOptions {
  access: RemoteAccess
  credentials: RemoteCredentials
  /** Folder for pages and the result. Complete pages of an interrupted read are reused. */
  folder: string
  /** Reads only features that were edited at this time or later. */
  since?: string
  signal: AbortSignal
  onRows?(rows: number): void
}

/** Result of reading a service. */
export interface ServiceRead {
  /** File with all features. */
  path: string
  /** Files that belong to it, by extension. */
  sidecars?: Record<string, string>
  rows: number
  /** Digest of the features, and of what is known about their attributes. */
  digest: string
  /** Greatest edit time of the features; absent if the service has no edit times. */
  newest?: string
  messages: string[]
}

/** Reads the features of one kind of service into one file. Throws `Failure`; then there is no file. */
export interface ServiceReader {
  kind: ServiceKind
  read(data: ServiceData, options: ServiceReadOptions): Promise<ServiceRead>
}
