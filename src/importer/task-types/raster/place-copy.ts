import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LayerDescription } from '../../../formats/worker.ts'
import { findCrs } from '../../../geo/crs-database.ts'
import { isSameCrs } from '../../../geo/crs-same.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { TaskLayer } from '../../model/model.ts'

function gridOf({ minX, minY, maxX, maxY }: Envelope, width: number, height: number): number[] {
  return [minX, (maxX - minX) / width, 0, maxY, 0, (minY - maxY) / height]
}

/** Returns the description with the bounds given by the client, if the file has no georeferencing. */
export function placedDescription(source: LayerDescription, { bounds }: TaskLayer): LayerDescription {
  const { raster } = source
  if (raster === undefined || raster.geoTransform !== undefined || bounds === undefined) return source
  return { ...source, raster: { ...raster, geoTransform: gridOf(bounds, raster.width, raster.height) } }
}

/**
 * Writes the bounds given by the client next to the copy, in GDAL's auxiliary file (`.aux.xml`), which
 * readers use. An auxiliary file that came with the data is not changed.
 */
export async function writePlace(
  path: { folder: string; main: string },
  source: LayerDescription,
  layer: TaskLayer,
): Promise<void> {
  const file = join(path.folder, `${path.main}.aux.xml`)
  const { raster } = source
  const placed = placedDescription(source, layer).raster
  const wkt = isSameCrs(layer.srs, raster?.crs) ? undefined : findCrs(layer.srs ?? '')?.wkt
  const grid = placed?.geoTransform === raster?.geoTransform ? undefined : placed?.geoTransform
  if ((wkt === undefined && grid === undefined) || existsSync(file)) return
  const escaped = wkt?.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const elements = [
    ...(escaped === undefined ? [] : [`<SRS>${escaped}</SRS>`]),
    ...(grid === undefined ? [] : [`<GeoTransform>${grid.join(', ')}</GeoTransform>`]),
  ]
  await writeFile(file, `<PAMDataset>${elements.join('')}</PAMDataset>\n`, { mode: 0o640 })
}
