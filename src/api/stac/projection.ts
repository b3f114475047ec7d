import type { LayerDetails } from '../../catalog/index.ts'
import type { RasterDescription } from '../../formats/worker.ts'
import type { Position } from './footprint.ts'

/** Schemas of the extensions that items use. */
export const projectionExtension = 'https://stac-extensions.github.io/projection/v1.1.0/schema.json'
export const fileExtension = 'https://stac-extensions.github.io/file/v2.1.0/schema.json'

/** Fields of the projection extension; unknown ones are absent. */
interface ProjectionFields {
  'proj:epsg': number | null
  'proj:shape'?: number[]
  'proj:transform'?: number[]
  'proj:bbox'?: number[]
}

/** Returns the EPSG code; null for a CRS of another authority or without a code. */
export function epsgOf({ srs }: Pick<LayerDetails, 'srs'>): number | null {
  const [, code] = /^EPSG:(\d+)$/.exec(srs ?? '') ?? []
  return code === undefined ? null : Number(code)
}

/** Returns the corners of a raster in its CRS: upper left, lower left, lower right, upper right. */
export function cornersOf({ raster, envelope }: Pick<LayerDetails, 'raster' | 'envelope'>): Position[] {
  if (raster?.geoTransform !== undefined) return cornersOfGrid(raster, raster.geoTransform)
  if (envelope === undefined) return []
  const { minX, minY, maxX, maxY } = envelope
  return [
    [minX, maxY],
    [minX, minY],
    [maxX, minY],
    [maxX, maxY],
  ]
}

function cornersOfGrid(
  { width, height }: RasterDescription,
  [x0 = 0, a = 0, b = 0, y0 = 0, d = 0, e = 0]: readonly number[],
): Position[] {
  const at = (column: number, row: number): Position => [x0 + a * column + b * row, y0 + d * column + e * row]
  return [at(0, 0), at(0, height), at(width, height), at(width, 0)]
}

/** Returns the fields of a raster with one file. */
export function projectionOfRaster(
  details: Pick<LayerDetails, 'srs' | 'raster' | 'envelope'>,
): ProjectionFields {
  const { raster } = details
  const corners = cornersOf(details)
  const [x0, a, b, y0, d, e] = raster?.geoTransform ?? []
  return {
    'proj:epsg': epsgOf(details),
    'proj:shape': raster === undefined ? undefined : [raster.height, raster.width],
    'proj:transform': x0 === undefined ? undefined : [a, b, x0, d, e, y0].map((one) => one ?? 0),
    'proj:bbox': corners.length === 0 ? undefined : boxOf(corners),
  }
}

/**
 * Returns the fields of a granule by its corners in the CRS of the mosaic. A granule that is not parallel to the axes has no
 * `proj:transform`.
 */
export function projectionOfGranule(
  details: Pick<LayerDetails, 'srs'>,
  corners: readonly Position[],
  { width, height }: { width: number; height: number },
): ProjectionFields {
  const box = corners.length === 0 ? undefined : boxOf(corners)
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = box ?? []
  const isUpright =
    box !== undefined && corners.every(([x, y]) => (x === minX || x === maxX) && (y === minY || y === maxY))
  const transform = [(maxX - minX) / width, 0, minX, 0, (minY - maxY) / height, maxY]
  return {
    'proj:epsg': epsgOf(details),
    'proj:shape': [height, width],
    'proj:transform': isUpright ? transform : undefined,
    'proj:bbox': box,
  }
}

function boxOf(corners: readonly Position[]): number[] {
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
