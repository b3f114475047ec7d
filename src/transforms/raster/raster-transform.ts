import type { TSchema } from 'typebox'
import type { TransformSpec } from '../transform.ts'

const rasterPrograms = ['gdal_translate', 'gdalwarp', 'gdaladdo'] as const
type RasterProgram = (typeof rasterPrograms)[number]

/** Georeferencing of a raster, as far as known at a position of the chain. */
export interface RasterPlacement {
  /** CRS of the cells or of the control points. */
  srs?: string
  /** True if an affine transformation maps cells to the CRS. */
  hasExtent: boolean
  hasControlPoints: boolean
}

/** Files of one step, and further arguments of the program in addition to the options. */
export interface RasterStep {
  /** Path of the input; overviews are also written to it. */
  input: string
  output: string
  /** Permitted drivers for the input. */
  drivers: readonly string[]
  /** CRS of the input, if the client overrides that of the file. */
  srs?: string
}

/** A transformation of a raster file by one of GDAL's programs. */
export interface RasterTransform {
  type: string
  kind: 'raster'
  program: RasterProgram
  /** An example: shows the purpose, and is used by the contract test of the registry. */
  example: TransformSpec
  parameters: TSchema
  show(spec: TransformSpec): Record<string, unknown>
  /** Throws `TransformError` if an option is not allowed or `levels` are invalid. */
  check(spec: TransformSpec): void
  /** Returns the transformation as single program runs, nearly always itself. */
  runs(spec: TransformSpec): TransformSpec[]
  /** Returns the arguments of the program. */
  arguments(spec: TransformSpec, step: RasterStep): string[]
  /** True if the program writes another file; otherwise it changes its input. */
  writesOutput: boolean
  /** Returns the georeferencing of the raster after the step. */
  placement(before: RasterPlacement, spec: TransformSpec): RasterPlacement
}
