import type { WrittenAbout, WrittenFormName } from '../../formats/writing/index.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { FeatureQuery } from '../store.ts'
import type { PageEnds } from './page-rows.ts'
import type { RequestFilter } from './request-filter.ts'
import type { ShownColumns } from './tile-request.ts'

/** Box of a query as given by the client. */
export interface RequestBox {
  /** Two if it crosses the antimeridian. */
  boxes: Envelope[]
  /** CRS of the coordinates. */
  srs: string
}

/** Adds a link to a file to each feature. */
export interface FileLink {
  /** Attribute with the path of the file, which is not shown. */
  attribute: string
  /** Prefix of the URL: `<base>/<id>/file/<name>`. */
  base: string
}

/** A point of a map, for selecting rows. */
export interface MapPoint {
  /** In the CRS of the page's coordinates. */
  x: number
  y: number
  /** Width and height of a cell of the map, in the same CRS. */
  cell: [width: number, height: number]
  /** Tolerance for points and lines, in cells. */
  tolerance: number
}

/** Selects the properties of features to show. */
export interface PropertySelection {
  attributes: string[]
  hasGeometry: boolean
}

/** A request for a page of features. Plain data: it is passed between threads and processes. */
export interface FeaturePageRequest {
  /** Without boxes and filters, which are in the CRS of the client. */
  query: Omit<FeatureQuery, 'bboxes' | 'filter'>
  box?: RequestBox
  /**
   * Only rows at this point, those that contain it first; `box` then surrounds it and determines the cost.
   */
  point?: MapPoint
  filter?: RequestFilter
  /** CRS of the table, if known. */
  crs?: CrsDeclaration | string
  /** Code of the requested CRS. */
  srs: string
  /** True if latitude or northing comes first. */
  isYx: boolean
  /** Properties to show of each feature, by their public names; absent: all. */
  selection?: PropertySelection
  /** Number of matches, if known: they are not counted then. */
  numberMatched?: number
  /**
   * True to shorten features for display: long texts are truncated, and geometries have as many positions as
   * a picture shows.
   */
  isBrief?: boolean
  /** True to compute the tag of a single feature. */
  wantsTag?: boolean
  fileLink?: FileLink
  /** True if the table may be replaced meanwhile: matches are counted before and after opening the rows. */
  isChanging?: boolean
  /** Set if the columns of the table have other names than the shown properties. */
  columns?: ShownColumns
  /** Absent: GeoJSON features without the enclosing collection. */
  form?: WrittenForm
}

/** Output format of a page. */
export interface WrittenForm {
  name: WrittenFormName
  about: WrittenAbout
}

/** A consecutive part of a page. Plain data. */
export interface PagePart {
  /**
   * GeoJSON features (UTF-8) separated by commas, with a leading comma except before the first of all; in
   * other formats the document from its head to its last feature.
   */
  bytes: Uint8Array
  numberMatched: number
  /** Number in all parts so far. */
  numberReturned: number
  isLast: boolean
  /** Tag of the last written feature, if requested. */
  tag?: string
  /** First and last row of the page; only in the last part, if pages can continue from rows. */
  ends?: PageEnds
}

/** Returns the schema of the shown properties; the whole schema without a selection. */
export function shownSchema(schema: Schema, selection: PropertySelection | undefined): Schema {
  if (selection === undefined) return schema
  return {
    attributes: schema.attributes.filter(({ name }) => selection.attributes.includes(name)),
    geometry: selection.hasGeometry ? schema.geometry : undefined,
  }
}
