import type { NetworkReach } from '../core/network/reach.ts'
import type { Translations } from '../core/text/translations.ts'
import type { RasterDescription } from '../formats/worker.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { Schema } from '../geo/schema.ts'
import type { AnyStoreType, StoreParameters } from '../stores/index.ts'
import type { StyleFormat } from '../styles/index.ts'

/** Kinds of limits of a workspace: bytes of its data, layers, and retained previous versions of layers. */
export const quotaKinds = ['bytes', 'layers', 'versions'] as const
export type QuotaKind = (typeof quotaKinds)[number]

/** Limits of a workspace; absent: no limit. */
export type Quota = Partial<Record<QuotaKind, number | undefined>>

/** A namespace of stores, layers and styles. */
export interface Workspace {
  name: string
  /** True if anonymous users may read its layers. */
  isPublic: boolean
  quota: Quota
  createdAt: string
  updatedAt: string
}

/** Kinds of stores: with features, or with one raster or mosaic. */
export const storeKinds = ['dataStore', 'coverageStore'] as const
export type StoreKind = (typeof storeKinds)[number]

/** Replaces a secret in responses; written back it leaves the value unchanged. */
export const hiddenSecret = '********'

/** Role that is responsible for the connection of a store. */
export type StoreMaker = 'admin' | 'staff'

/** Connection of a store of features, or the file of a coverage. */
export interface AnyConnection {
  type: AnyStoreType
  parameters: StoreParameters
  /** Permitted network targets; absent: any. */
  reach?: NetworkReach
}

/** A store, which contains the data of layers, as stored. */
export interface StoreRecord {
  id: number
  workspace: string
  name: string
  kind: StoreKind
  type: AnyStoreType
  isEnabled: boolean
  /** True for the default store of its workspace. */
  isDefault: boolean
  /** Plain parameters, without secrets. */
  parameters: StoreParameters
  /** Names of secret parameters. */
  secretNames: string[]
  description: string | undefined
  /** Undefined for the server itself and for older stores, which count as approved by an administrator. */
  madeBy: StoreMaker | undefined
  /** True if earlier versions of its layers are retained. */
  keepsVersions: boolean
  /** Tables that are published automatically; absent for a store without discovery. */
  discovery?: Discovery
  createdAt: string
  updatedAt: string
}

/** Tables of a store that are published in place as soon as they exist. Patterns have `*` and `?`. */
export interface Discovery {
  /** Names of tables to publish; empty: all. */
  include: string[]
  exclude: string[]
  /** Pattern of layer names, in which `{table}` is replaced by the table name. */
  naming: string
  managed: Managed
}

/** Description of a layer's data, and descriptive metadata. Stored as one document. */
export interface LayerDetails {
  kind: 'vector' | 'raster'
  title: string
  abstract?: string
  description?: string
  /** Keywords for searching. */
  keywords?: string[]
  /** Attribution to show with the data; plain text. */
  attribution?: string
  /** Terms of use of the data. */
  licence?: string
  /** Contact for questions about the data. */
  contact?: string
  /** Department or person responsible for the data. */
  owner?: string
  /** Recommended citation of the data; plain text. */
  citation?: string
  /** Digital object identifier of the data, without prefix or address: `10.1234/trees`. */
  doi?: string
  /** Title, abstract and keywords in other languages. */
  translations?: Translations
  originalName: string
  /** Matched authority code, such as `EPSG:4326`; absent for a table without geometry or an unknown CRS. */
  srs?: string
  crs?: CrsDeclaration
  envelope?: Envelope
  schema: Schema
  /** The column with the values of the identity column of the data that were loaded last. */
  identity?: string
  /** Only for coverages. */
  raster?: RasterDescription
  /** Times of the granules of a mosaic, if they have times. */
  times?: LayerTimes
  /** Features, or granules of a mosaic. */
  featureCount?: number
  /** Name of the default style, in the layer's workspace or global. */
  style: string
  /** Names of further styles in which the layer is offered. */
  styles?: string[]
  /** Set for a table or file that was published in place; absent for data that Terrane loaded. */
  inPlace?: InPlace
}

/** Permitted changes of a table that was published in place: none, edits of features, or imports too. */
export const managedKinds = [false, 'edit', 'load'] as const
export type Managed = (typeof managedKinds)[number]

/** State of a table or raster that was published in place. */
export interface InPlace {
  /** Always false for a raster. */
  managed: Managed
  /** Format of a raster file. */
  format?: AnyStoreType
  /** Why a raster can no longer be read after a change of its file. */
  fault?: string
  /** True for a further geometry column of a table, through which imports cannot replace the table. */
  isFurtherGeometry?: boolean
  /** `columnsMark` of the table when its schema was read, or state of the file of a raster. */
  columnsMark: string
  /** Version of the layer that its row count and bounds belong to; absent until they are read. */
  measuredVersion?: number
  /** Columns that were dropped or changed their type since the layer was published, as texts for people. */
  altered?: string[]
}

/** The time dimension of a layer, in ISO 8601 and UTC. */
export interface LayerTimes {
  from: string
  to: string
  /** Distinct times. */
  count: number
  /** All times in order; empty if there are too many. */
  values: string[]
}

/** Causes of new layer versions. */
export const versionCauses = ['import', 'restore', 'edit', 'style', 'outside', 'delete'] as const
export type VersionCause = (typeof versionCauses)[number]

/** A layer: a table or file of a store published under a name. */
export interface LayerRecord {
  id: number
  workspace: string
  name: string
  storeId: number
  /** Table or layer name inside the store. */
  nativeName: string
  details: LayerDetails
  /** True if anonymous users may read it; undefined to use the setting of its workspace. */
  isPublic: boolean | undefined
  /** Increases with every known change of data, schema, style or public access. */
  version: number
  versionCause: VersionCause
  /** External state of its data when it was last read. */
  seenState: string | undefined
  createdAt: string
  updatedAt: string
}

/** A style, as the document that was uploaded. */
export interface StyleRecord {
  id: number
  /** Undefined for a global style. */
  workspace: string | undefined
  name: string
  format: StyleFormat
  document: string
  createdAt: string
  updatedAt: string
}

/** A layer of a saved map. */
export interface MapLayer {
  /** `workspace:name`. */
  name: string
  /** Absent: the style of the layer. */
  style?: string
  /** 0 to 1. */
  opacity: number
  isVisible: boolean
  /** Filter in CQL2 text; absent: all features. */
  filter?: string
  /** Heading under which the map lists the layer. */
  group?: string
}

/** Content of a saved map. */
export interface MapDocument {
  /** Bottom first. */
  layers: MapLayer[]
  /** Absent: the extent of its layers. */
  view?: { longitude: number; latitude: number; zoom: number }
  hasBackground: boolean
  hasLegend: boolean
}

/** A map that a user has saved. */
export interface SavedMap extends MapDocument {
  name: string
  title: string
  /** Undefined if the user was deleted. */
  owner: string | undefined
  isPublic: boolean
  createdAt: string
  updatedAt: string
}

/** Forms of a group in capabilities: `NAMED` with its layers inside, `SINGLE` as one layer. */
export const groupModes = ['SINGLE', 'NAMED'] as const
export type GroupMode = (typeof groupModes)[number]

/** A layer or a group in a group of layers. */
export interface GroupMember {
  kind: 'layer' | 'layerGroup'
  id: number
  /** Undefined for a global group. */
  workspace: string | undefined
  name: string
  /** Style of a layer; undefined: its default style. */
  style: string | undefined
}

/** A named group of layers. */
export interface LayerGroup {
  id: number
  /** Undefined for a global group. */
  workspace: string | undefined
  name: string
  mode: GroupMode
  title: string
  abstract: string | undefined
  /** Members in drawing order, the lowest first. */
  members: GroupMember[]
  createdAt: string
  updatedAt: string
}
