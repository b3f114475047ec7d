import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../../src/core/process/process.ts'
import { seededNumbers } from '../seeded-numbers.ts'

/** A table with values of every type, and geometries of one type in one CRS. */
interface ServiceTable {
  name: string
  srs: string
  /** Type as MapServer names it. */
  mapType: 'POINT' | 'LINE' | 'POLYGON'
}

export const serviceTables: readonly (ServiceTable & { geometryType: string; dimensions: 2 | 3 })[] = [
  { name: 'wells', srs: 'EPSG:4326', mapType: 'POINT', geometryType: 'POINT', dimensions: 2 },
  { name: 'peaks', srs: 'EPSG:3857', mapType: 'POINT', geometryType: 'POINTZ', dimensions: 3 },
  { name: 'paths', srs: 'EPSG:25832', mapType: 'LINE', geometryType: 'MULTILINESTRING', dimensions: 2 },
  { name: 'fields', srs: 'EPSG:31468', mapType: 'POLYGON', geometryType: 'MULTIPOLYGON', dimensions: 2 },
  { name: 'stops', srs: 'EPSG:4258', mapType: 'POINT', geometryType: 'MULTIPOINT', dimensions: 2 },
]

const texts = [
  'plain',
  '',
  null,
  '007',
  '12',
  'true',
  '2024-02-29',
  ' blanks around ',
  'Grüße 日本語 🎉',
  '<&>]]>&amp;"\'',
  'two\nlines',
  'tab\there',
  'back\\slash \\N',
  'NULL',
  '1e5',
  'a'.repeat(3000),
]
const codes = ['10115', '80331', '20095', null]
const bigs = [0, '9223372036854775807', '-9223372036854775808', '9007199254740993', null]
const reals = [0.1, -1.5, 1e300, 123_456_789.125, 1e-7, 5, null]
const amounts = ['1234567.25', '0.01', '-99.90', null]
const days = ['2024-02-29', '1969-12-31', '1900-01-01', null]
const moments = ['2024-02-29T10:11:12Z', '2024-02-29T23:11:12+05:30', '1969-12-31T23:59:59-03:30', null]

type Value = string | number | null

const at = (values: readonly Value[], row: number): Value => values[row % values.length] ?? null

/** Longer values make GDAL take these columns for what they are: GeoJSON has no types for them. */
function properties(row: number): string {
  const members: [string, Value, boolean?][] = [
    ['row_no', row + 1],
    ['name', at(texts, row)],
    ['code', at(codes, row)],
    ['big', at(bigs, row), true],
    ['small', row % 5 === 4 ? null : row - 3],
    ['ratio', at(reals, row)],
    ['amount', at(amounts, row), true],
    ['day', at(days, row)],
    ['moment', at(moments, row)],
    ['nothing', null],
  ]
  const written = members.map(([name, value, isNumber]) => {
    const text = isNumber === true && value !== null ? String(value) : JSON.stringify(value)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${written.join(',')}}`
}

/** Longitude and latitude around 10.5 east, 48 north, in all the CRSs' areas. */
function coordinates(geometryType: string, row: number, random: () => number): unknown {
  const x = 10.5 + random() / 2
  const y = 48 + random() / 2
  const ring = (size: number, isHole = false) => {
    const corners = [
      [x - size, y - size],
      [x + size, y - size],
      [x + size, y + size],
      [x - size, y + size],
      [x - size, y - size],
    ]
    return isHole ? corners.reverse() : corners
  }
  const moved = (rings: number[][][]) => rings.map((one) => one.map(([left = 0, top = 0]) => [left + 1, top]))
  if (geometryType === 'POINT') return [x, y]
  if (geometryType === 'POINTZ') return [x, y, row % 3 === 0 ? 0 : random() * 1000]
  if (geometryType === 'MULTIPOINT')
    return row % 2 === 0
      ? [[x, y]]
      : [
          [x, y],
          [x + 0.01, y + 0.02],
        ]
  const line = [
    [x, y],
    [x + 0.01, y + 0.02],
    [x + 0.03, y],
  ]
  if (geometryType === 'MULTILINESTRING')
    return row % 2 === 0 ? [line] : [line, line.map(([left = 0, top = 0]) => [left, top + 0.1])]
  const holed = [ring(0.05), ring(0.01, true)]
  return row % 3 === 0 ? [[ring(0.05)]] : row % 3 === 1 ? [holed] : [holed, moved([ring(0.02)])]
}

const jsonTypes: Record<string, string> = {
  POINT: 'Point',
  POINTZ: 'Point',
  MULTIPOINT: 'MultiPoint',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
}

/** Writes a GeoPackage with all tables; each has `rows` rows, the fifth of them without a geometry. */
export async function writeServiceData(folder: string, rows: number): Promise<string> {
  const path = join(folder, 'data.gpkg')
  for (const [index, { name, srs, geometryType }] of serviceTables.entries()) {
    const random = seededNumbers(index + 1)
    const features = Array.from({ length: rows }, (_, row) => {
      const geometry =
        row === 4
          ? 'null'
          : JSON.stringify({
              type: jsonTypes[geometryType],
              coordinates: coordinates(geometryType, row, random),
            })
      return `{"type":"Feature","properties":${properties(row)},"geometry":${geometry}}`
    })
    const source = join(folder, `${name}.geojson`)
    writeFileSync(source, `{"type":"FeatureCollection","features":[${features.join(',\n')}]}`)
    await runProgram('ogr2ogr', [
      '-f',
      'GPKG',
      ...(index === 0 ? [] : ['-update', '-append']),
      path,
      source,
      '-nln',
      name,
      '-nlt',
      geometryType,
      '-t_srs',
      srs,
    ])
  }
  return path
}

/** A MapServer configuration that serves the tables of a GeoPackage. */
export function mapFileOf(data: string, address: string): string {
  const layers = serviceTables.map(({ name, srs, mapType }) => {
    const [, code = ''] = srs.split(':')
    return `  LAYER
    NAME "${name}"
    TYPE ${mapType}
    STATUS ON
    CONNECTIONTYPE OGR
    CONNECTION "${data}"
    DATA "${name}"
    TEMPLATE "none"
    PROJECTION
      "init=epsg:${code}"
    END
    METADATA
      "ows_title" "${name}"
      "ows_srs" "${srs}"
      "gml_include_items" "all"
      "gml_featureid" "row_no"
      "gml_types" "auto"
    END
    CLASS
    END
  END`
  })
  return `MAP
  NAME "services"
  EXTENT 8 46 14 52
  SIZE 64 64
  UNITS DD
  # Without a code: the default CRS of each layer is its own.
  PROJECTION
    "proj=longlat"
    "datum=WGS84"
    "no_defs"
  END
  WEB
    METADATA
      "ows_title" "Services"
      "ows_onlineresource" "${address}"
      "ows_enable_request" "*"
    END
  END
${layers.join('\n')}
END
`
}
