import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import { writeGeometryJson } from '../../geo/wkb-to-geojson.ts'
import { changeFileTable } from '../change-files/write-changes.ts'
import type { VectorStore } from '../store.ts'
import { findReprojector } from './reprojectors.ts'

/** Selects changes of a change file, and their format. Plain data: it is passed between threads. */
export interface ChangePageRequest {
  format: 'csv' | 'geojson'
  limit: number
  offset: number
}

/** Approximate number of characters per part. */
const partLength = 128 * 1024
const encoder = new TextEncoder()

/** GeoJSON uses longitude and latitude; CSV uses the coordinates of the layer. */
const geoJsonCrs = 'EPSG:4326'

/** Yields changes as text, part by part, on demand. */
export async function* writeChangePage(
  store: VectorStore,
  request: ChangePageRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { limit, offset, format } = request
  const text = format === 'csv' ? new CsvText() : new GeoJsonText()
  const crs = (await store.findTable(changeFileTable))?.schema.geometry?.crs
  const reprojector =
    format === 'csv' || crs === undefined ? undefined : await findReprojector(crs, geoJsonCrs)
  try {
    for await (const { batch } of store.readFeatures({ table: changeFileTable, limit, offset }, signal)) {
      const shown = await reprojected(batch, reprojector)
      for (let row = 0; row < shown.rowCount; row += 1) {
        text.add(changeOf(shown, row))
        if (text.text.length >= partLength) yield take(text)
      }
    }
    text.end()
    yield take(text)
  } finally {
    await reprojector?.close()
  }
}

interface ListedChange {
  change: string
  featureId: string | null
  /** The key, as JSON. */
  key: string
  before: string | null
  after: string | null
  geometry: Uint8Array | undefined
  geometryBefore: Uint8Array | undefined
}

interface Text {
  text: string
  add(change: ListedChange): void
  end(): void
}

function take(text: Text): Uint8Array {
  const bytes = encoder.encode(text.text)
  text.text = ''
  return bytes
}

function changeOf({ schema, columns, geometry }: FeatureBatch, row: number): ListedChange {
  const values = new Map(
    schema.attributes.map(({ name }, at) => {
      const column = columns[at]
      return [name, column === undefined ? null : columnValue(column, row)]
    }),
  )
  const textOf = (name: string): string | null => {
    const value = values.get(name)
    return typeof value === 'string' ? value : null
  }
  const before = values.get('geometry_before')
  return {
    change: textOf('change') ?? '',
    featureId: textOf('feature_id'),
    key: textOf('key') ?? '{}',
    before: textOf('before'),
    after: textOf('after'),
    geometry:
      geometry === undefined || !isValid(geometry.validity, row)
        ? undefined
        : geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1]),
    geometryBefore: before instanceof Uint8Array ? before : undefined,
  }
}

async function reprojected(batch: FeatureBatch, reprojector: Reprojector | undefined): Promise<FeatureBatch> {
  if (reprojector === undefined || reprojector.isIdentity || batch.geometry === undefined) return batch
  const { geometry, failedRows } = await reprojectGeometry(batch.geometry, batch.rowCount, reprojector)
  const validity = geometry.validity.slice()
  for (const row of failedRows) validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7))
  return { ...batch, geometry: { ...geometry, validity } }
}

class GeoJsonText implements Text {
  text = '{"type":"FeatureCollection","features":['
  #separator = ''

  add({ change, featureId, key, before, after, geometry }: ListedChange): void {
    const properties = `"change":"${change}","featureId":${JSON.stringify(featureId)},"key":${key},"before":${before ?? 'null'},"after":${after ?? 'null'}`
    const geometryJson = geometry === undefined ? 'null' : writeGeometryJson(geometry)
    this.text += `${this.#separator}{"type":"Feature","geometry":${geometryJson},"properties":{${properties}}}`
    this.#separator = ',\n'
  }

  end(): void {
    this.text += ']}\n'
  }
}

/** Writes each column before and after; geometries as GeoJSON in the CRS of the layer. */
class CsvText implements Text {
  text = ''
  #names: string[] | undefined

  add({ change, featureId, before, after, geometry, geometryBefore }: ListedChange): void {
    const [was, becomes] = [membersOf(before), membersOf(after)]
    const names = this.#begin([...(was ?? becomes ?? new Map<string, string>()).keys()])
    const [shapeBefore, shapeAfter] =
      change === 'removed' ? [geometryBefore ?? geometry, undefined] : [geometryBefore, geometry]
    const cells = [change, featureId ?? '', ...names.flatMap((name) => [was?.get(name), becomes?.get(name)])]
    this.#line([...cells, shapeText(shapeBefore), shapeText(shapeAfter)])
  }

  end(): void {
    this.#begin([])
  }

  #begin(names: string[]): string[] {
    if (this.#names !== undefined) return this.#names
    this.#names = names
    const columns = names.flatMap((name) => [`${name}_before`, `${name}_after`])
    this.#line(['change', 'feature_id', ...columns, 'geometry_before', 'geometry_after'])
    return names
  }

  #line(cells: (string | undefined)[]): void {
    this.text += `${cells.map(toCell).join(',')}\r\n`
  }
}

/** Returns the members of an object with their values as text; numbers preserve their digits. */
function membersOf(json: string | null): Map<string, string> | undefined {
  if (json === null) return undefined
  const parsed: Record<string, unknown> = JSON.parse(json, (_name, value, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  )
  return new Map(Object.entries(parsed).map(([name, value]) => [name, value === null ? '' : String(value)]))
}

function shapeText(wkb: Uint8Array | undefined): string {
  return wkb === undefined ? '' : writeGeometryJson(wkb)
}

function toCell(text: string | undefined): string {
  if (text === undefined) return ''
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
