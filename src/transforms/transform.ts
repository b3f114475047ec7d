import type { TSchema } from 'typebox'
import type { FormatMessage } from '../formats/worker.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Schema } from '../geo/schema.ts'

/** A transformation as given by a client: its type and parameters, plain data. */
export interface TransformSpec {
  type: string
  [parameter: string]: unknown
}

/** The error for a parameter or schema that does not fit; becomes a 400 at POST and PUT. */
export class TransformError extends Error {
  readonly code: string

  constructor(message: string, code = 'invalid-transform') {
    super(message)
    this.name = 'TransformError'
    this.code = code
  }
}

/** Input of a chain in addition to the schema. */
export interface ChainOptions {
  /** The CRS assigned to the layer, for geometries that the chain creates from attributes. */
  declaredCrs?: CrsDeclaration
  /** The CRS declared in the data, independent of the layer. */
  sourceCrs?: CrsDeclaration
}

/** Callbacks while a chain is prepared and run. */
export interface TransformContext extends ChainOptions {
  signal: AbortSignal
  onMessage(message: FormatMessage): void
}

/** Maps batches to batches. Rejected rows are appended to the `rejects` of the new batch. */
export interface BatchMapper {
  schema: Schema
  apply(batch: FeatureBatch): FeatureBatch | Promise<FeatureBatch>
  /** Stops the program that the mapper started. Called once, even if the load fails. */
  close?(): Promise<void>
}

/** An example of a transformation: shows the purpose, and is used by the contract test of the registry. */
interface TransformExample {
  spec: TransformSpec
  /**
   * Delimited text with a header; a column of WKT is the geometry. May include values that become rejects.
   */
  rows: string
}

/**
 * A kind of transformation of features; for rasters see `raster/raster-transform.ts`. `phase`: `inline`
 * processes the stream, `after` the loaded table (CreateIndex). `outputSchema` throws `TransformError` if a
 * field is missing or unsuitable.
 */
export interface VectorTransform {
  type: string
  kind: 'vector'
  phase: 'inline' | 'after'
  example: TransformExample
  /** Schema of the parameters: strict types, unknown keys are ignored; null counts as absent. */
  parameters: TSchema
  /** Returns the parameters for API responses, with defaults, null where the contract has null. */
  show(spec: TransformSpec): Record<string, unknown>
  outputSchema(schema: Schema, spec: TransformSpec, options: ChainOptions): Schema
  /** Prepares the mapper for a load; the schema is that of the batches. Not called for `after`. */
  prepare(schema: Schema, spec: TransformSpec, context: TransformContext): Promise<BatchMapper>
}
