import type { StyleFormat } from '../cartography/style-format.ts'
import type { RasterDescription } from '../formats/format.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { Schema } from '../geo/schema.ts'
import type { Reach } from '../lib/network/reach.ts'
import type { Translations } from '../lib/text/translations.ts'
import type { AnyStoreType } from '../stores/rasters/coverage-types.ts'
import type { StoreParameters } from '../stores/store.ts'

/** A namespace of stores, layers and styles. */
export interface Workspace {
  name: string
  /** Anonymous people may read its layers. */
  isPublic: boolean
  createdAt: string
  updatedAt: string
}

/** Stores of features, and stores of one raster or mosaic. */
export const storeKinds = ['dataStore', 'coverageStore'] as const
/** One of `storeKinds`. */
export type StoreKind = (typeof storeKinds)[number]

/** Stands for a secret in what is shown; written back it keeps the value. */
export const hiddenSecret = '********'

/** Whose word a store's connection stands on. */
export type StoreMaker = 'admin' | 'staff'

/** What opens a store of features, or the file of a coverage. */
export interface AnyConnection {
  type: AnyStoreType
  parameters: StoreParameters
  /** Where the connection may lead; absent: anywhere. */
  reach?: Reach
}

/** What holds the data of layers, as it is kept. */
export interface StoreRecord {
  id: number
  workspace: string
  name: string
  kind: StoreKind
  type: AnyStoreType
  isEnabled: boolean
  /** The store of its workspace that takes what names no other. */
  isDefault: boolean
  /** Without secrets: those come by `storeConnection`. */
  parameters: StoreParameters
  /** Names of the parameters that are kept secret. */
  secretNames: string[]
  description: string | undefined
  /** Undefined for the server itself and for older stores, which are as good as an administrator's. */
  madeBy: StoreMaker | undefined
  /** Whether what its layers were before is kept. */
  keepsVersions: boolean
  createdAt: string
  updatedAt: string
}

/** What is known of a layer's data, and what people say of them. Kept as one document. */
export interface LayerDetails {
  kind: 'vector' | 'raster'
  title: string
  abstract?: string
  description?: string
  /** Words to find it by. */
  keywords?: string[]
  /** Whom to name where the data are shown; plain text. */
  attribution?: string
  /** Under which terms the data may be used. */
  licence?: string
  /** Who answers questions about the data. */
  contact?: string
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
  /** Of a raster layer. */
  raster?: RasterDescription
  /** Of a mosaic the times of its granules, where they have some. */
  times?: LayerTimes
  /** Features, or granules of a mosaic. */
  featureCount?: number
  /** Name of the default style, in the layer's workspace or global. */
  style: string
  /** Names of further styles that it is offered in. */
  styles?: string[]
}

/** The time dimension of a layer, in ISO 8601 and UTC. */
export interface LayerTimes {
  from: string
  to: string
  /** Distinct times. */
  count: number
  /** All of them in order; empty where there are too many to list. */
  values: string[]
}

/** Why the version of a layer grew. */
export const versionCauses = ['import', 'restore', 'edit', 'style', 'outside', 'delete'] as const
export type VersionCause = (typeof versionCauses)[number]

/** What is published: a table or file of a store under a name. */
export interface LayerRecord {
  id: number
  workspace: string
  name: string
  storeId: number
  /** Table or layer name inside the store. */
  nativeName: string
  details: LayerDetails
  /** Whether anonymous people may read it; undefined where its workspace says. */
  isPublic: boolean | undefined
  /** Grows with every change of data, schema, style or publicity that the catalogue knows of. */
  version: number
  versionCause: VersionCause
  /** What its data looked like outside when they were last looked at. */
  seenState: string | undefined
  createdAt: string
  updatedAt: string
}

/** How layers are drawn, as the document that was given. */
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
