/**
 * Builds src/geo/data/crs-table.bin from PROJ's database and its `projinfo` program (Debian: proj-bin).
 * Usage: node scripts/build-crs-table.ts [path of proj.db]; takes some minutes, needed after a new EPSG release only.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { brotliCompressSync, constants } from 'node:zlib'
import { parseOperations } from './projinfo-operations.ts'

const run = promisify(execFile)
const target = new URL('../src/geo/data/crs-table.bin', import.meta.url)
const recordsPerBlock = 64
const db = new DatabaseSync(process.argv[2] ?? '/usr/share/proj/proj.db', { readOnly: true })

interface Row {
  [column: string]: string | number | null
}

const query = (sql: string, ...values: (string | number)[]): Row[] => db.prepare(sql).all(...values) as Row[]

/** Sections of `projinfo` output by format, such as `WKT1:GDAL`. */
async function projinfo(args: string[]): Promise<string> {
  const result = await run('projinfo', ['--single-line', ...args], { maxBuffer: 64 << 20 }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  )
  return result.stdout
}

function section(output: string, title: string): string {
  const lines = output.split('\n')
  const at = lines.indexOf(`${title} string:`)
  return at < 0 ? '' : (lines[at + 1] ?? '')
}

async function eachOf<T>(
  items: T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next
      next += 1
      await work(items[index] as T, index)
      if (index % 500 === 0) console.error(`${index} of ${items.length}`)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}

const requestedCrs = `
  SELECT 'geodetic_crs' AS tab, g.auth_name, g.code, g.name, g.type, g.deprecated,
         g.coordinate_system_auth_name AS csa, g.coordinate_system_code AS csc,
         g.auth_name AS base_auth, g.code AS base_code, g.datum_auth_name, g.datum_code
    FROM geodetic_crs g
   WHERE g.type IN ('geographic 2D', 'geographic 3D') AND g.auth_name IN ('EPSG', 'ESRI', 'IAU_2015', 'OGC')
  UNION ALL
  SELECT 'projected_crs', p.auth_name, p.code, p.name, 'projected', p.deprecated,
         p.coordinate_system_auth_name, p.coordinate_system_code,
         p.geodetic_crs_auth_name, p.geodetic_crs_code, g.datum_auth_name, g.datum_code
    FROM projected_crs p
    LEFT JOIN geodetic_crs g ON g.auth_name = p.geodetic_crs_auth_name AND g.code = p.geodetic_crs_code
   WHERE p.auth_name IN ('EPSG', 'ESRI', 'IAU_2015')
  UNION ALL
  SELECT 'compound_crs', c.auth_name, c.code, c.name, 'compound', c.deprecated,
         coalesce(p.coordinate_system_auth_name, g.coordinate_system_auth_name),
         coalesce(p.coordinate_system_code, g.coordinate_system_code),
         coalesce(p.geodetic_crs_auth_name, g.auth_name), coalesce(p.geodetic_crs_code, g.code),
         g.datum_auth_name, g.datum_code
    FROM compound_crs c
    LEFT JOIN projected_crs p ON p.auth_name = c.horiz_crs_auth_name AND p.code = c.horiz_crs_code
    LEFT JOIN geodetic_crs g ON g.auth_name = coalesce(p.geodetic_crs_auth_name, c.horiz_crs_auth_name)
                            AND g.code = coalesce(p.geodetic_crs_code, c.horiz_crs_code)
   WHERE c.auth_name = 'EPSG'
   ORDER BY 2, 3`

/** Returns the axis order by authority: `yx` if latitude or northing is the first axis. */
function axes(csAuthority: string, csCode: string | number): { order: 'xy' | 'yx'; unit: string } {
  const rows = query(
    `SELECT a.name, a.abbrev, a.orientation, u.name AS unit FROM axis a
       LEFT JOIN unit_of_measure u ON u.auth_name = a.uom_auth_name AND u.code = a.uom_code
      WHERE a.coordinate_system_auth_name = ? AND a.coordinate_system_code = ? ORDER BY coordinate_system_order`,
    csAuthority,
    csCode,
  )
  const [first, second] = rows
  if (first === undefined || second === undefined) return { order: 'xy', unit: 'metre' }
  const isVertical = (row: Row): boolean => row.orientation === 'north' || row.orientation === 'south'
  const isYFirst =
    isVertical(first) !== isVertical(second)
      ? isVertical(first)
      : /^(north|lat)/i.test(String(first.name)) || /^[ny]/i.test(String(first.abbrev))
  const unit = String(first.unit)
  return { order: isYFirst ? 'yx' : 'xy', unit: /^degree/.test(unit) ? 'degree' : unit }
}

function area(table: string, authority: string, code: string | number): (string | number)[] {
  const [row] = query(
    `SELECT e.name, e.west_lon, e.south_lat, e.east_lon, e.north_lat FROM usage u
       JOIN extent e ON e.auth_name = u.extent_auth_name AND e.code = u.extent_code
      WHERE u.object_table_name = ? AND u.object_auth_name = ? AND u.object_code = ? ORDER BY u.code LIMIT 1`,
    table,
    authority,
    code,
  )
  if (row === undefined || row.west_lon == null) return []
  return [row.name, row.west_lon, row.south_lat, row.east_lon, row.north_lat] as (string | number)[]
}

/** Assigns a number to each distinct value, so that the table contains names and areas only once. */
class Interner {
  readonly values: string[] = []
  readonly #numbers = new Map<string, number>()

  number(value: string): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    this.#numbers.set(value, this.values.length)
    return this.values.push(value) - 1
  }
}

function aliases(table: string, authority: string, code: string | number): string[] {
  return query(
    'SELECT DISTINCT alt_name FROM alias_name WHERE table_name = ? AND auth_name = ? AND code = ? ORDER BY 1',
    table,
    authority,
    code,
  ).map((row) => String(row.alt_name))
}

function datumLine(authority: string, code: string | number): string {
  const [row] = query(
    `SELECT d.name, d.ensemble_accuracy, p.longitude, p.uom_code, d.auth_name, d.code,
            e.semi_major_axis, e.inv_flattening, e.semi_minor_axis, coalesce(u.conv_factor, 1) AS factor
       FROM geodetic_datum d
       JOIN ellipsoid e ON e.auth_name = d.ellipsoid_auth_name AND e.code = d.ellipsoid_code
       LEFT JOIN unit_of_measure u ON u.auth_name = e.uom_auth_name AND u.code = e.uom_code
       JOIN prime_meridian p ON p.auth_name = d.prime_meridian_auth_name AND p.code = d.prime_meridian_code
      WHERE d.auth_name = ? AND d.code = ?`,
    authority,
    code,
  )
  if (row === undefined) return ''
  const a = Number(row.semi_major_axis) * Number(row.factor)
  const b = row.semi_minor_axis == null ? 0 : Number(row.semi_minor_axis) * Number(row.factor)
  const inverse = row.inv_flattening == null ? (a === b ? 0 : a / (a - b)) : Number(row.inv_flattening)
  const names = [String(row.name), ...aliases('geodetic_datum', authority, code)]
  return [`${authority}:${code}`, a, inverse, row.ensemble_accuracy ?? '', ...names].join('\t')
}

const rows = query(requestedCrs)
const areas = new Interner()
const datums = new Interner()
const index: string[] = []
const definitions: string[] = []
await eachOf(rows, 4, async (row, at) => {
  const srs = `${row.auth_name}:${row.code}`
  const output = await projinfo(['-o', 'PROJ,WKT1:GDAL,WKT2:2019', srs])
  const wkt1 = section(output, 'WKT1:GDAL')
  const { order, unit } = axes(String(row.csa), row.csc ?? '')
  const names = aliases(String(row.tab), String(row.auth_name), row.code ?? '')
  const base = row.base_auth == null ? '' : `${row.base_auth}:${row.base_code}`
  const datum = row.datum_code == null ? '' : datumLine(String(row.datum_auth_name), row.datum_code)
  const proj = section(output, 'PROJ.4').replace(' +no_defs', '').replace(' +type=crs', '')
  index[at] = [
    srs,
    row.name,
    row.type,
    row.deprecated,
    order,
    unit,
    areas.number(area(String(row.tab), String(row.auth_name), row.code ?? '').join('|')),
    base,
    datums.number(datum),
    proj,
    ...names,
  ].join('\t')
  definitions[at] = wkt1 === '' ? section(output, 'WKT2:2019') : wkt1
})

const hub = 'EPSG:4326'
const bases = query(
  `SELECT auth_name, code FROM geodetic_crs
    WHERE type = 'geographic 2D' AND auth_name IN ('EPSG', 'ESRI') ORDER BY 1, 2`,
).map((row) => `${row.auth_name}:${row.code}`)
const direct = query(
  `SELECT DISTINCT o.source_crs_auth_name AS sa, o.source_crs_code AS sc, o.target_crs_auth_name AS ta,
          o.target_crs_code AS tc
     FROM coordinate_operation_view o
     JOIN geodetic_crs s ON s.auth_name = o.source_crs_auth_name AND s.code = o.source_crs_code
     JOIN geodetic_crs t ON t.auth_name = o.target_crs_auth_name AND t.code = o.target_crs_code
    WHERE s.type = 'geographic 2D' AND t.type = 'geographic 2D' AND o.deprecated = 0
      AND o.source_crs_auth_name = 'EPSG' AND o.target_crs_auth_name = 'EPSG'
    ORDER BY 1, 2, 3, 4`,
).map((row) => [`${row.sa}:${row.sc}`, `${row.ta}:${row.tc}`] as [string, string])
const pairs = new Map<string, [string, string]>()
for (const base of bases) if (base !== hub) pairs.set(`${base}>${hub}`, [base, hub])
for (const [from, to] of direct) {
  if (to !== hub && from !== hub && !pairs.has(`${to}>${from}`)) pairs.set(`${from}>${to}`, [from, to])
}
const operations: string[] = []
await eachOf([...pairs.values()].sort(), 4, async ([from, to], at) => {
  const output = await projinfo([
    '-s',
    from,
    '-t',
    to,
    '-o',
    'PROJ,WKT2:2019',
    '--spatial-test',
    'intersects',
  ])
  operations[at] = JSON.stringify([from, to, parseOperations(output)])
})

const grids = query(
  `SELECT DISTINCT proj_grid_name, coalesce(old_proj_grid_name, '') AS old_name, original_grid_name
     FROM grid_alternatives ORDER BY 1, 2`,
).map((row) => [row.proj_grid_name, row.old_name, row.original_grid_name].join('\t'))

const quality = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 11 }
const pack = (text: string): Buffer => brotliCompressSync(Buffer.from(text), { params: quality })
const blocks: Buffer[] = []
for (let at = 0; at < definitions.length; at += recordsPerBlock) {
  blocks.push(pack(definitions.slice(at, at + recordsPerBlock).join('\n')))
}
const parts = [
  pack(index.join('\n')),
  pack(areas.values.join('\n')),
  pack(datums.values.join('\n')),
  pack(operations.join('\n')),
  pack(grids.join('\n')),
  ...blocks,
]
const versions = Object.fromEntries(
  query('SELECT key, value FROM metadata').map((row) => [row.key, row.value]),
)
const header = Buffer.from(
  JSON.stringify({ recordsPerBlock, sizes: parts.map((part) => part.length), versions }),
)
const length = Buffer.alloc(4)
length.writeUInt32LE(header.length)
writeFileSync(target, Buffer.concat([length, header, ...parts]))
console.error(`${rows.length} CRSs, ${operations.length} pairs`)
