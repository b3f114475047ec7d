import { parseSrs } from './crs-srs.ts'
import { allDatums, findArea, findOperations, findRow, readDefinition } from './crs-table.ts'
import type { Envelope } from './envelope.ts'

export { crsCandidates } from './crs-candidates.ts'
export { matchCrs } from './crs-match.ts'
export { parseSrs } from './crs-srs.ts'

/** A CRS in the shipped table. `axisOrder` is the authority's; coordinates in memory are always x, y. */
export interface CrsRecord {
  /** Authority and code, such as `EPSG:25832`. */
  srs: string
  authority: string
  code: string
  name: string
  kind: 'geographic' | 'projected' | 'compound'
  isDeprecated: boolean
  /** Area of use in degrees; `maxX` is above 180 across the antimeridian. */
  area?: Envelope
  areaName: string
  /** Accuracy of the best known transformation to WGS 84 in metres. */
  accuracy?: number
  /** PROJ string, if the CRS has one. */
  proj4?: string
  /** WKT 1, or WKT 2 if WKT 1 cannot express the CRS. */
  wkt: string
  /** `yx` if the authority puts latitude or northing first. */
  axisOrder: 'xy' | 'yx'
  /** Unit of the first axis, such as `metre`, `degree`, `US survey foot`. */
  unit: string
}

const records = new Map<string, CrsRecord | undefined>()
const maxRecords = 1000

/**
 * Returns the record of a code such as `EPSG:25832`, in any form that `parseSrs` accepts. Undefined for an
 * unknown code.
 */
export function findCrs(srs: string): CrsRecord | undefined {
  const id = parseSrs(srs)
  if (id === undefined) return undefined
  if (records.has(id)) return records.get(id)
  const record = buildRecord(id)
  if (records.size >= maxRecords) records.clear()
  records.set(id, record)
  return record
}

function buildRecord(id: string): CrsRecord | undefined {
  const row = findRow(id)
  if (row === undefined) return undefined
  const colon = id.indexOf(':')
  const area = findArea(row.area)
  const accuracy = accuracyOf(row.base, row.datum)
  const kind = row.type.startsWith('geographic') ? 'geographic' : row.type
  return {
    srs: id,
    authority: id.slice(0, colon),
    code: id.slice(colon + 1),
    name: row.name,
    kind: kind as CrsRecord['kind'],
    isDeprecated: row.isDeprecated,
    areaName: area?.name ?? '',
    wkt: readDefinition(id) ?? '',
    axisOrder: row.axisOrder,
    unit: row.unit,
    area: area === undefined ? undefined : toEnvelope(area.bounds),
    accuracy,
    proj4: row.proj === '' ? undefined : `${row.proj} +no_defs`,
  }
}

function toEnvelope([west, south, east, north]: [number, number, number, number]): Envelope {
  return { minX: west, minY: south, maxX: east < west ? east + 360 : east, maxY: north }
}

function accuracyOf(base: string, datum: number): number | undefined {
  const known = (findOperations(base, 'EPSG:4326') ?? []).flatMap(({ accuracy }) => accuracy ?? [])
  return known.length > 0 ? Math.min(...known) : allDatums()[datum]?.ensembleAccuracy
}
