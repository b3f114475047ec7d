import { renameSync } from 'node:fs'
import { parquetWriteFile } from 'hyparquet-writer'
import { GeometryBuilder } from '../src/geo/geometry-builder.ts'
import { WktReader } from '../src/geo/wkt.ts'

/** One feature: WKT and named values. */
export interface BenchFeature {
  wkt: string
  attributes: [string, number | string][]
}

const rowGroup = 100_000
const types: Record<string, 'STRING' | 'INT32' | 'DOUBLE'> = {
  ident: 'INT32',
  name: 'STRING',
  kind: 'STRING',
  people: 'INT32',
  height: 'DOUBLE',
  year: 'INT32',
  seen: 'STRING',
}
const geo = JSON.stringify({
  version: '1.1.0',
  primary_column: 'geometry',
  columns: { geometry: { encoding: 'WKB', geometry_types: [] } },
})

/** Writes GeoParquet 1.1 with WKB in row groups of 100,000. */
export function writeGeoParquet(path: string, features: Iterable<BenchFeature>): string {
  const wkb: Uint8Array[] = []
  const columns = new Map<string, (number | string)[]>(Object.keys(types).map((name) => [name, []]))
  const reader = new WktReader({ isMulti: false, hasZ: false, hasM: false })
  for (const { wkt, attributes } of features) {
    const builder = new GeometryBuilder(1, 200)
    const bytes = Buffer.from(wkt)
    reader.read(bytes, 0, bytes.length, builder)
    wkb.push(builder.finish().bytes)
    for (const [name, value] of attributes) columns.get(name)?.push(value)
  }
  const columnData = [...columns].map(([name, data]) => ({ name, data, type: types[name] as 'STRING' }))
  const unfinished = `${path}.part`
  parquetWriteFile({
    filename: unfinished,
    columnData: [...columnData, { name: 'geometry', data: wkb, type: 'BYTE_ARRAY' }],
    kvMetadata: [{ key: 'geo', value: geo }],
    rowGroupSize: rowGroup,
  })
  renameSync(unfinished, path)
  return path
}
