import type { TSchema } from 'typebox'
import type { Message } from '../formats/format.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Schema } from '../geo/schema.ts'

/** A transformation as a client states it: its type and parameters, plain data. */
export interface TransformSpec {
  type: string
  [parameter: string]: unknown
}

/** A parameter or the schema does not fit; becomes a 400 at POST and PUT. */
export class TransformError extends Error {
  readonly code: string

  constructor(message: string, code = 'invalid-transform') {
    super(message)
    this.name = 'TransformError'
    this.code = code
  }
}

/** What a chain starts from beside the schema. */
export interface ChainOptions {
  /** The CRS given to the layer, for geometries that the chain makes from attributes. */
  declaredCrs?: CrsDeclaration
  /** The CRS that the data declare themselves, whatever was given to the layer. */
  sourceCrs?: CrsDeclaration
}

/** Told while a chain is prepared and run. */
export interface TransformContext extends ChainOptions {
  signal: AbortSignal
  onMessage(message: Message): void
}

/** Turns batches into batches. Rejected rows are appended to the new batch's `rejects`. */
export interface BatchMapper {
  schema: Schema
  apply(batch: FeatureBatch): FeatureBatch | Promise<FeatureBatch>
  /** Ends what the mapper started; called once, however the load ends. */
  close?(): Promise<void>
}

/** A use of a transformation: shows what it is for, and is what the suite of the seam runs. */
interface TransformExample {
  spec: TransformSpec
  /** Delimited text with a header; a column of WKT is the geometry. Values that become rejects may be among them. */
  rows: string
}

/**
 * A kind of transformation of features; `raster/raster-transform.ts` has that of rasters. `phase`: `inline` acts on the
 * stream, `after` on the finished table (CreateIndex). `outputSchema` throws `TransformError` when a field is missing or does not suit.
 */
export interface VectorTransform {
  type: string
  kind: 'vector'
  phase: 'inline' | 'after'
  example: TransformExample
  /** Parameters, strict for types, unknown keys ignored; null counts as absent. */
  parameters: TSchema
  /** The parameters as they are shown, defaults filled in, null where the contract shows null. */
  show(spec: TransformSpec): Record<string, unknown>
  outputSchema(schema: Schema, spec: TransformSpec, options: ChainOptions): Schema
  /** Prepares the mapper for a load; the schema is that of the batches to come. Not called for `after`. */
  prepare(schema: Schema, spec: TransformSpec, context: TransformContext): Promise<BatchMapper>
}
