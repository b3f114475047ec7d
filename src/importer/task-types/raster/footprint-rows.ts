import { basename } from 'node:path'
import type { RasterDescription } from '../../../formats/worker.ts'
import type { Corners, IndexRow, TaskRecord } from '../../model/model.ts'
import { allAttributes, indexSchema } from '../../model/model.ts'
import type { TaskRows } from '../task-type.ts'

/** Returns the corners of a raster in its CRS; undefined without georeferencing or extent. */
export function cornersOf({ width, height, geoTransform }: RasterDescription): Corners | undefined {
  const [x0, xColumn, xRow, y0, yColumn, yRow] = geoTransform ?? []
  if (x0 === undefined || xColumn === undefined || xRow === undefined) return undefined
  if (y0 === undefined || yColumn === undefined || yRow === undefined) return undefined
  const place = (column: number, row: number): [number, number] => [
    x0 + column * xColumn + row * xRow,
    y0 + column * yColumn + row * yRow,
  ]
  const corners = [place(0, 0), place(0, height), place(width, height), place(width, 0)]
  const hasArea = xColumn * yRow !== xRow * yColumn && width > 0 && height > 0
  return hasArea && corners.flat().every(Number.isFinite) ? corners : undefined
}

/** Returns a row with the footprint of each raster before it is published, without its location. */
export function footprintRows({ source }: TaskRecord, rows: Omit<IndexRow, 'location'>[]): TaskRows {
  const schema = indexSchema(source?.raster?.crs)
  return {
    source: { kind: 'granules', rows: rows.map((row) => ({ ...row, location: '' })) },
    schema,
    attributes: allAttributes(schema).filter(({ name }) => name !== 'location'),
    transforms: [],
  }
}

/**
 * Returns the footprint of a raster that is served as one coverage. The result of a tool chain is not known
 * before the run.
 */
export function rasterRows(task: TaskRecord): TaskRows {
  const [file] = task.files
  const { raster } = task.source ?? {}
  const footprint = raster === undefined ? undefined : cornersOf(raster)
  if (file === undefined || raster === undefined || footprint === undefined) return footprintRows(task, [])
  const { width, height, sizeBytes = 0 } = raster
  return footprintRows(task, [{ file: basename(file.path), width, height, sizeBytes, footprint }])
}
