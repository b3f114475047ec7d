import { atPlace, validateTransform } from './chain.ts'
import type { RasterPlacement, RasterTransform } from './raster/raster-transform.ts'
import type { TransformSpec } from './transform.ts'
import { TransformError } from './transform.ts'

/** Output format of the programs. */
export const outputFormat = 'GeoTIFF'

/** One run of a program. */
export interface ChainStep {
  transform: RasterTransform
  spec: TransformSpec
}

function rasterTransformOf(spec: TransformSpec): RasterTransform {
  const transform = validateTransform(spec)
  if (transform.kind === 'raster') return transform
  throw new TransformError(
    `${transform.type} acts on vector data, and the task has raster data`,
    'other-kind',
  )
}

/**
 * Returns the program runs of a chain over a raster. Throws a `TransformError` that names the position in the
 * chain, counted from 1, if a parameter is wrong or the transformation is not for rasters.
 */
export function rasterSteps(specs: readonly TransformSpec[]): ChainStep[] {
  return specs.flatMap((spec, place) =>
    atPlace(place, spec, () =>
      rasterTransformOf(spec)
        .runs(spec)
        .map((run) => ({ spec: run, transform: rasterTransformOf(run) })),
    ),
  )
}

/** Returns the georeferencing of the raster after the chain. */
export function placeRaster(start: RasterPlacement, specs: readonly TransformSpec[]): RasterPlacement {
  return specs.reduce((placement, spec) => rasterTransformOf(spec).placement(placement, spec), start)
}
