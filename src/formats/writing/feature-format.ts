import type { FeatureBatch } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'

/** The CRS of written coordinates. */
interface WrittenCrs {
  /** Such as `http://www.opengis.net/def/crs/EPSG/0/25832`. */
  uri: string
  /** Such as `EPSG:25832`. */
  srs: string
  /** True to write latitude or northing first; formats with a fixed order ignore this. */
  isYx: boolean
}

/** Properties of a document. Plain data: it is passed between threads and processes. */
export interface WrittenAbout {
  /** Name of the layer, such as `trees`. */
  name: string
  title: string
  /** Prefix of feature ids in GML, if it is not the layer name. */
  idPrefix?: string
  /** Absolute URL of the collection; the namespace of its features in XML. */
  collection: string
  /** Namespace prefix in names, if the document declares it elsewhere. */
  prefix?: string
  /** Schema of the rows; the only available information for a document without rows. */
  schema: Schema
  /** Undefined if the layer has no geometry or an unknown CRS. */
  crs?: WrittenCrs
  /** Attribute with the time of a feature. */
  timeAttribute?: string
  /** True if the document is one feature instead of a collection. */
  isSingle?: boolean
  /** True to omit feature ids, if the format allows it. */
  hidesIds?: boolean
}

/** Data for the end of a document. */
export interface WrittenEnd {
  numberReturned: number
  /** As ISO 8601. */
  timeStamp: string
  numberMatched?: number
  links?: readonly object[]
}

/** Writes the features of one document, starting with its head. Taking the bytes frees them. */
export interface FeatureWriter {
  /** Approximate number of bytes that were not taken yet. */
  readonly waiting: number
  /** Writes row `row` of a batch; all batches of a document have the same schema. */
  add(batch: FeatureBatch, row: number, id: string): void
  /** Returns the bytes written since the last call, in a separate buffer. */
  take(): Uint8Array<ArrayBuffer>
}

/** Writes features as documents. Pure: no I/O. */
export interface FeatureFormat {
  /** Starts a document; `schema` is that of the rows. */
  open(about: WrittenAbout, schema: Schema): FeatureWriter
  /** Returns the text after the last feature. */
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
