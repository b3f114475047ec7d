import { invalid } from '../../core/errors/errors.ts'
import {
  geometryFromJson,
  isWrittenObject,
  mergePatch,
  plainJson,
  type WrittenJson,
} from '../../formats/geojson/index.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { isValid } from '../../geo/column.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { GeometryBuilder, type GeometryColumn } from '../../geo/geometry-builder.ts'
import { reprojectBatch } from '../../geo/reproject-geometry.ts'
import { findInvalidity } from '../../geo/validity/exact-validity.ts'
import { GeometryError, walkCoordinates } from '../../geo/wkb.ts'
import { writeGeometryJson } from '../../geo/wkb-to-geojson.ts'
import type { FeaturePage } from '../../stores/index.ts'
import { findReprojector } from '../../stores/worker.ts'

/** CRS of the coordinates of a request. */
export interface WrittenCrs {
  srs: string
  /** True if latitude or northing comes first. */
  isYx: boolean
}

/** CRS in which latitudes beyond ±90° are rejected. */
const geographic = 'EPSG:4326'

/** A geometry described by a client. */
export interface MeantGeometry {
  /** Undefined if it equals the present one. */
  column: GeometryColumn | undefined
}

interface Meaning {
  written: WrittenCrs
  /** CRS of the layer, if known. */
  crs: CrsDeclaration | string | undefined
  /** The existing feature. */
  present: FeaturePage | undefined
  /** True to merge the members of `value` into the existing geometry. */
  isPatch: boolean
}

/**
 * Returns the geometry that a client's GeoJSON describes, in the CRS of the layer. Throws `Failure` if it is
 * not a valid geometry.
 */
export async function meantGeometry(value: WrittenJson, meaning: Meaning): Promise<MeantGeometry> {
  const shown = await shownGeometry(meaning)
  const meant = meaning.isPatch ? mergePatch(shown, value) : value
  if (meant === null) {
    if (meaning.present !== undefined && shown === undefined) return { column: undefined }
    return { column: nullGeometry() }
  }
  if (!isWrittenObject(meant)) throw invalid('invalid-geometry', '"geometry" is neither an object nor null')
  const plain = canonical(plainJson(meant))
  if (shown !== undefined && JSON.stringify(plain) === JSON.stringify(canonical(shown)))
    return { column: undefined }
  return { column: await inLayer(plain, meaning) }
}

function nullGeometry(): GeometryColumn {
  const builder = new GeometryBuilder(1)
  builder.appendNull()
  return builder.finish()
}

/** Returns only the members that define a geometry, in a fixed order. */
function canonical(geometry: unknown): unknown {
  if (typeof geometry !== 'object' || geometry === null) return geometry
  const { type, coordinates, geometries } = geometry as Record<string, unknown>
  if (Array.isArray(geometries) && type === 'GeometryCollection')
    return { type, geometries: geometries.map(canonical) }
  return { type, coordinates }
}

/** Returns the existing geometry of the feature in the CRS of the request. */
async function shownGeometry({ present, crs, written }: Meaning): Promise<WrittenJson | undefined> {
  if (present?.batch.geometry === undefined) return undefined
  const { geometry } = await moved(present.batch, crs, written.srs)
  if (geometry === undefined || !isValid(geometry.validity, 0)) return undefined
  const bytes = geometry.bytes.subarray(geometry.offsets[0], geometry.offsets[1])
  return JSON.parse(writeGeometryJson(bytes, { isYx: written.isYx })) as WrittenJson
}

async function moved(
  batch: FeatureBatch,
  from: CrsDeclaration | string | undefined,
  to: CrsDeclaration | string | undefined,
): Promise<FeatureBatch> {
  if (from === undefined || to === undefined) return batch
  const reprojector = await findReprojector(from, to)
  try {
    return await reprojectBatch(batch, reprojector)
  } finally {
    await reprojector.close()
  }
}

async function inLayer(plain: unknown, { written, crs }: Meaning): Promise<GeometryColumn> {
  const problem = positionProblem(plain, written)
  if (problem !== undefined) throw invalid('invalid-geometry', problem)
  const given = parse(JSON.stringify(written.isYx ? swapped(plain) : plain))
  const alone: FeatureBatch = {
    schema: { attributes: [], geometry: undefined },
    rowCount: 1,
    columns: [],
    geometry: given,
    rowNumbers: new Float64Array([1]),
    rejects: [],
  }
  const { geometry } = await moved(alone, written.srs, crs)
  if (geometry === undefined || !isValid(geometry.validity, 0) || !hasFinite(geometry))
    throw invalid(
      'invalid-geometry',
      `The geometry cannot be transformed to the CRS of the layer: check that its coordinates are in ${written.srs}, in this axis order`,
    )
  requireValid(geometry)
  return geometry
}

function parse(json: string): GeometryColumn {
  try {
    return geometryFromJson(json).finish()
  } catch (error) {
    if (error instanceof GeometryError) throw invalid('invalid-geometry', error.message)
    throw error
  }
}

type Visit = (position: unknown[]) => void

function visitPositions(value: unknown, visit: Visit): void {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every((one) => typeof one === 'number')) visit(value)
    else for (const inner of value) visitPositions(inner, visit)
  } else if (typeof value === 'object' && value !== null) {
    const { coordinates, geometries } = value as Record<string, unknown>
    visitPositions(coordinates, visit)
    visitPositions(geometries, visit)
  }
}

function positionProblem(plain: unknown, { srs, isYx }: WrittenCrs): string | undefined {
  const lengths = new Set<number>()
  let problem: string | undefined
  visitPositions(plain, (position) => {
    lengths.add(position.length)
    const latitude = Number(position[isYx ? 0 : 1])
    if (srs === geographic && Math.abs(latitude) > 90)
      problem ??= `The latitude ${latitude} of position [${position.join(', ')}] is beyond 90 degrees: ${isYx ? 'latitude' : 'longitude'} comes first`
  })
  if (lengths.size > 1) return 'Some positions of the geometry have a height and others have none'
  return problem
}

function swapped(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length >= 2 && value.every((one) => typeof one === 'number'))
      return [value[1], value[0], ...value.slice(2)]
    return value.map(swapped)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, swapped(inner)]))
}

function hasFinite({ bytes, offsets, envelopes }: GeometryColumn): boolean {
  // An empty geometry has no coordinates; an empty point has NaN.
  if (Number.isNaN(envelopes[0])) return true
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let isSound = true
  walkCoordinates(view, offsets[0] ?? 0, (offset, count, dimensions) => {
    for (let at = 0; at < count * dimensions; at += 1)
      if (!Number.isFinite(view.getFloat64(offset + at * 8, true))) isSound = false
  })
  return isSound
}

const polygons = [3, 6]

function requireValid({ bytes, offsets, envelopes }: GeometryColumn): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = offsets[0] ?? 0
  if (Number.isNaN(envelopes[0]) || !polygons.includes(view.getUint32(start + 1, true) % 1000)) return
  const found = findInvalidity(view, start)
  if (found === undefined) return
  const suffix = found.x === undefined ? '' : ` at ${found.x} ${found.y} (in the CRS of the layer)`
  throw invalid('invalid-geometry', `The polygon is not valid: ${found.reason}${suffix}`)
}
