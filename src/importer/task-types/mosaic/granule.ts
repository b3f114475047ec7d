import { relative, sep } from 'node:path'
import type { RasterDescription } from '../../../formats/worker.ts'
import { matchCrs } from '../../../geo/crs-database.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { Corners, DescribedFile, GranuleRecord } from '../../model/model.ts'
import { cornersOf } from '../raster/footprint-rows.ts'

function envelopeOf(corners: Corners): Envelope {
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  return { minX: Math.min(...xs), minY: Math.min(...ys), maxX: Math.max(...xs), maxY: Math.max(...ys) }
}

/**
 * Reduces the description of a granule, since there may be thousands: no CRS text if the code is known, no
 * overviews.
 */
function slim(raster: RasterDescription, srs: string | undefined): RasterDescription {
  const { overviews: _overviews, crs, ...kept } = raster
  return { ...kept, overviews: [], crs: crs === undefined ? undefined : srs === undefined ? crs : { srs } }
}

type Facts = Pick<GranuleRecord, 'format' | 'raster' | 'srs' | 'envelope' | 'fault'>

/** Shortens an error message of a tool to its first line, at most 300 characters. */
function firstLine(error = 'it contains no raster'): string {
  return (error.split('\n', 1)[0] ?? '').slice(0, 300)
}

/** A file as described by its format, of which only the name is used. */
type Described = Pick<DescribedFile, 'file' | 'layers' | 'error'> & { format?: string | undefined }

/** Converts a described file to the properties of a granule. */
export function granuleFacts({ format, layers, error }: Described): Facts {
  if (format === undefined) return {}
  const raster = layers.length === 1 ? layers[0]?.raster : undefined
  if (raster === undefined) {
    const several =
      layers.length > 1 ? `contains ${layers.length} rasters; a granule must contain one` : undefined
    return { format, fault: { code: 'unreadable', reason: several ?? `cannot be read: ${firstLine(error)}` } }
  }
  const srs = raster.crs === undefined ? undefined : (raster.crs.srs ?? matchCrs(raster.crs))
  const corners = cornersOf(raster)
  return {
    format,
    raster: slim(raster, srs),
    srs,
    envelope: corners === undefined ? undefined : envelopeOf(corners),
  }
}

/** Converts a described file to a granule of a task; `folder` is the data folder. */
export function toGranule(
  described: Described,
  { folder, ...place }: { importId: number; taskId: number; folder: string },
): GranuleRecord {
  const { file, layers } = described
  return {
    ...place,
    fileId: relative(folder, file.path).split(sep).join('/'),
    file,
    sizeBytes: layers[0]?.raster?.sizeBytes ?? 0,
    ...granuleFacts(described),
  }
}
