import type { WrittenAbout } from '../../formats/writing/feature-format.ts'
import type { WrittenFormName } from '../../formats/writing/written-formats.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { FeatureQuery } from '../store.ts'
import type { PageEnds } from './page-rows.ts'
import type { ShownColumns } from './tile-wish.ts'
import type { WishedFilter } from './wished-filter.ts'

/** A box of a question as the client gave it. */
export interface WishedBox {
  /** Two where it crosses the antimeridian. */
  boxes: Envelope[]
  /** What its coordinates are in. */
  srs: string
}

/** Adds a link to a file to each feature. */
export interface FileLink {
  /** The attribute with the path of the file, which is not shown. */
  attribute: string
  /** Begins the address: `<base>/<id>/file/<name>`. */
  base: string
}

/** A point of a map, at which rows are looked for. */
export interface MapPoint {
  /** In the CRS that coordinates of the page are in. */
  x: number
  y: number
  /** Width and height of a cell of the map, in the same CRS. */
  cell: [width: number, height: number]
  /** Cells within which points and lines count as hit. */
  tolerance: number
}

/** Which of the properties of features are shown. */
export interface PropertySelection {
  attributes: string[]
  hasGeometry: boolean
}

/** What a page of features is to be like. Plain data: it crosses threads and processes. */
export interface PageWish {
  /** Without boxes and filters: those are in the CRS of the client. */
  query: Omit<FeatureQuery, 'bboxes' | 'filter'>
  box?: WishedBox
  /** The rows at this point alone, those that contain it first; a `box` is around it then, and tells the cost. */
  point?: MapPoint
  filter?: WishedFilter
  /** Of the table, where it is known. */
  crs?: CrsDeclaration | string
  /** The code of the CRS that coordinates are wanted in. */
  srs: string
  /** Coordinates with latitude or northing first. */
  isYx: boolean
  /** What is shown of each feature, by the names that clients know; absent: all. */
  selection?: PropertySelection
  /** How many match, where that is known: they are not counted then. */
  numberMatched?: number
  /** Features are to be read by people: long texts are cut, and shapes have as many positions as a picture shows. */
  isBrief?: boolean
  /** Whether the tag of a single feature is wanted. */
  wantsTag?: boolean
  fileLink?: FileLink
  /** The table may be exchanged meanwhile: what matches is counted before and after the rows were opened. */
  isChanging?: boolean
  /** Where the columns of the table have other names than what is shown of them. */
  columns?: ShownColumns
  /** Absent: GeoJSON, without what stands around its features. */
  form?: WrittenForm
}

/** In which format a page is written. */
export interface WrittenForm {
  name: WrittenFormName
  about: WrittenAbout
}

/** A part of a page, in order. Plain data. */
export interface PagePart {
  /**
   * Features as GeoJSON (UTF-8) with commas between and before, but not before the first of all; in other formats the
   * document from its head to its last feature.
   */
  bytes: Uint8Array
  numberMatched: number
  /** In all parts so far. */
  numberReturned: number
  isLast: boolean
  /** Of the feature that was written last, where it was wanted. */
  tag?: string
  /** Of the last part, where pages can go on from rows. */
  ends?: PageEnds
}
