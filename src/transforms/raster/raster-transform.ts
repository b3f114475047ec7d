import type { TSchema } from 'typebox'
import type { TransformSpec } from '../transform.ts'

const rasterPrograms = ['gdal_translate', 'gdalwarp', 'gdaladdo'] as const
type RasterProgram = (typeof rasterPrograms)[number]

/** Where a raster lies, as far as it is known at a place of the chain. */
export interface RasterPlacement {
  /** CRS of the cells or of the control points. */
  srs?: string
  /** An affine transformation takes cells to the CRS. */
  hasExtent: boolean
  hasControlPoints: boolean
}

/** The files of one step, and what the program is told beside the options. */
export interface RasterStep {
  /** Read by the program; for overviews also written to. */
  input: string
  output: string
  /** The only drivers that may read the input. */
  drivers: readonly string[]
  /** CRS that the input shall have, where the client gave another than the file's own. */
  srs?: string
}

/** A transformation of a raster file by one of GDAL's programs. */
export interface RasterTransform {
  type: string
  kind: 'raster'
  program: RasterProgram
  /** A use of it: shows what it is for, and is what the suite of the seam runs. */
  example: TransformSpec
  parameters: TSchema
  show(spec: TransformSpec): Record<string, unknown>
  /** Throws `TransformError` where an option is not allowed or `levels` do not fit. */
  check(spec: TransformSpec): void
  /** The transformation as single runs of programs, nearly always itself. */
  runs(spec: TransformSpec): TransformSpec[]
  /** The program's arguments. */
  arguments(spec: TransformSpec, step: RasterStep): string[]
  /** Whether the program writes another file; otherwise it changes its input. */
  writesOutput: boolean
  /** Where the raster lies after the step. */
  placement(before: RasterPlacement, spec: TransformSpec): RasterPlacement
}
