/**
 * Parts of the JSON documents below `/ogc` that the HTML pages read; the operations describe the complete
 * schemas.
 */

export interface Link {
  href: string
  rel: string
  type?: string
  title?: string
  length?: number
  templated?: boolean
}

export interface LandingDocument {
  title: string
  description: string
  links: Link[]
}

export interface DocumentExtent {
  spatial?: { bbox: number[][] }
  temporal?: { interval: (string | null)[][]; grid?: { cellsCount: number }; values?: string[] }
}

interface Size {
  width: number
  height: number
}

export interface CollectionDocument {
  id: string
  title: string
  description?: string
  itemType?: string
  extent?: DocumentExtent
  crs?: string[]
  storageCrs?: string
  size?: Size
  resolution?: { x: number; y: number }
  bands?: { name: string; type: string; noData?: number | string }[]
  granuleCount?: number
  links: Link[]
}

export interface CollectionsDocument {
  description?: string
  collections: CollectionDocument[]
  links: Link[]
}

/** A geometry of GeoJSON. */
export interface Shape {
  type: string
  coordinates?: unknown
  geometries?: Shape[]
}

export interface FeatureDocument {
  id?: string | number
  geometry: Shape | null
  properties: Record<string, unknown> | null
  links?: Link[]
}

export interface ItemsDocument {
  features: FeatureDocument[]
  numberMatched?: number
  numberReturned: number
  links: Link[]
}

export interface SchemaProperty {
  title?: string
  description?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  minimum?: unknown
  maximum?: unknown
  /** For dates and times. */
  formatMinimum?: string
  formatMaximum?: string
  maxLength?: number
  'x-ogc-role'?: string
  anyOf?: SchemaProperty[]
  [key: string]: unknown
}

export interface SchemaDocument {
  title?: string
  description?: string
  properties?: Record<string, SchemaProperty>
  required?: string[]
  links?: Link[]
}

export interface ApiParameter {
  $ref?: string
  name?: string
  in?: string
  required?: boolean
  description?: string
  schema?: SchemaProperty
}

export interface ApiOperation {
  operationId?: string
  summary?: string
  description?: string
  parameters?: ApiParameter[]
  responses?: Record<string, { description?: string; content?: Record<string, unknown> }>
}

export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, ApiOperation>>
  components?: { parameters?: Record<string, ApiParameter> }
}
