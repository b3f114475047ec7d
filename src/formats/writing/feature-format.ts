import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'

/** The CRS of written coordinates. */
interface WrittenCrs {
  /** Such as `http://www.opengis.net/def/crs/EPSG/0/25832`. */
  uri: string
  /** Such as `EPSG:25832`. */
  srs: string
  /** Coordinates are wanted with latitude or northing first; formats with an order of their own keep to that. */
  isYx: boolean
}

/** What a document tells of its features. Plain data: it crosses threads and processes. */
export interface WrittenAbout {
  /** The layer's, such as `trees`. */
  name: string
  title: string
  /** What ids of features begin with in GML, where that is not the name of the layer. */
  idPrefix?: string
  /** Absolute address of the collection; the namespace of its features in XML. */
  collection: string
  /** What stands for the namespace in names, where documents tell it elsewhere. */
  prefix?: string
  /** What the rows are like; of a document without any row it is all that is known. */
  schema: Schema
  /** Undefined where the layer has no geometry, or nobody knows its CRS. */
  crs?: WrittenCrs
  /** The attribute that tells when a feature is of. */
  timeAttribute?: string
  /** The document is one feature and no collection. */
  isSingle?: boolean
  /** The ids of features are left out, where a format can do without. */
  hidesIds?: boolean
}

/** How a document ends. */
export interface WrittenEnd {
  numberReturned: number
  /** As ISO 8601. */
  timeStamp: string
  numberMatched?: number
  links?: readonly object[]
}

/** Writes the features of one document, from its head on. Whoever takes its bytes frees them. */
export interface FeatureWriter {
  /** About how many bytes wait to be taken. */
  readonly waiting: number
  /** Writes row `row` of a batch; all batches of a document have one schema. */
  add(batch: FeatureBatch, row: number, id: string): void
  /** The bytes that were written since the last call, in a buffer of their own. */
  take(): Uint8Array<ArrayBuffer>
}

/** How features are written as documents. Pure: no I/O. */
export interface FeatureFormat {
  /** Begins a document; `schema` is that of the rows. */
  open(about: WrittenAbout, schema: Schema): FeatureWriter
  /** What stands behind the last feature. */
  end(about: WrittenAbout, end: WrittenEnd): string
}

const encoder = new TextEncoder()

/** Bytes of documents that are text. */
export class WrittenText {
  text = ''

  get waiting(): number {
    return this.text.length
  }

  take(): Uint8Array<ArrayBuffer> {
    const bytes = encoder.encode(this.text)
    this.text = ''
    return bytes
  }
}
