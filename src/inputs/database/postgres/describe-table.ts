import type { Client } from 'pg'
import { quoteTable } from '../../../core/postgres/quote.ts'
import type { FormatMessage, LayerDescription } from '../../../formats/worker.ts'
import type { CrsDeclaration } from '../../../geo/crs.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { GeometryField } from '../../../geo/schema.ts'
import type { TableEntry } from './catalog.ts'
import { listColumns } from './catalog.ts'
import type { ColumnPlan, PlannedGeometry } from './columns.ts'
import { planColumns, sourceGeometrySql } from './columns.ts'
import type { GeometryGroup, PostgresGeometryShape } from './geometry-column.ts'
import { shapeOfGroups } from './geometry-column.ts'
import type { ReadingSession } from './session.ts'
import { withinTime } from './session.ts'

/**
 * Tables with at most this estimated number of rows are counted beforehand; for larger ones the count is
 * unknown.
 */
const maxCountedRows = 5_000_000
const surveyMs = 20_000
/** Number of sampled rows if reading all would take too long. */
const sampledRows = 10_000
const maxGroups = 1000

export async function describeSourceTable(
  session: ReadingSession,
  entry: TableEntry,
): Promise<LayerDescription> {
  const plan = planColumns(await listColumns(session.client, entry.oid))
  const { geometry, attributes } = plan
  const field = geometry === undefined ? undefined : await describeGeometry(session.client, entry, geometry)
  const extent =
    entry.estimatedRows > maxCountedRows ? undefined : await survey(session.client, entry, geometry)
  return {
    name: entry.name,
    schema: { attributes: attributes.map(({ attribute }) => attribute), geometry: field },
    ...extent,
    messages: messagesOf(entry.name, plan),
  }
}

function messagesOf(table: string, { geometry, furtherGeometries, left }: ColumnPlan): FormatMessage[] {
  const messages: FormatMessage[] = []
  if (furtherGeometries.length > 0) {
    const others = furtherGeometries.map((name) => `"${name}"`).join(', ')
    const message = `Table "${table}" has several geometries: "${geometry?.name}" is used, ${others} are loaded as text`
    messages.push({ level: 'warning', code: 'geometry-as-text', message })
  }
  if (left.length > 0) {
    const message = `Raster columns are omitted: ${left.map((name) => `"${name}"`).join(', ')}`
    messages.push({ level: 'warning', code: 'raster-column-left', message })
  }
  return messages
}

async function describeGeometry(
  client: Client,
  entry: TableEntry,
  geometry: PlannedGeometry,
): Promise<GeometryField> {
  const { declared, name } = geometry
  const { type, hasZ, hasM, srid } = declared.isBinding ? declared : await lookAtRows(client, entry, geometry)
  return { name, type, hasZ, hasM, crs: await findCrs(client, srid) }
}

/** Returns the geometries of a column without a complete declaration: of all rows, else of the first ones. */
async function lookAtRows(
  client: Client,
  { schema, name }: TableEntry,
  geometry: PlannedGeometry,
): Promise<PostgresGeometryShape> {
  const groups = async (limit: string): Promise<GeometryGroup[]> => {
    const { rows } = await client.query<GeometryGroup>(
      `select GeometryType(g) as type, ST_SRID(g) as srid, ST_Zmflag(g)::int as flag, count(*)::float8 as rows
       from (select ${sourceGeometrySql(geometry)} as g from ${quoteTable(schema, name)} ${limit}) as source
       where g is not null group by 1, 2, 3 order by 4 desc limit ${maxGroups}`,
    )
    return rows
  }
  const all = await withinTime(client, surveyMs, () => groups(''))
  const some = all ?? (await withinTime(client, surveyMs, () => groups(`limit ${sampledRows}`))) ?? []
  const found = shapeOfGroups(some)
  const { declared } = geometry
  const shape = some.length === 0 || declared.type !== 'Geometry' ? declared : found
  return { ...shape, srid: declared.srid > 0 ? declared.srid : found.srid }
}

/** Returns the CRS of an SRID; undefined for 0 and for one that the database does not know. */
async function findCrs(client: Client, srid: number): Promise<CrsDeclaration | undefined> {
  const { rows } = await client.query<{ name: string | null; code: number | null; wkt: string | null }>(
    'select auth_name as name, auth_srid as code, srtext as wkt from spatial_ref_sys where srid = $1',
    [srid],
  )
  const [row] = rows
  if (row === undefined) return undefined
  const { name, code, wkt } = row
  return {
    srs: name === null || code === null ? undefined : `${name}:${code}`,
    wkt: wkt === null || wkt === '' ? undefined : wkt,
  }
}

/** Returns the SRIDs of a CRS; only 0 without a CRS. */
export async function findSrids(client: Client, crs: CrsDeclaration | undefined): Promise<Set<number>> {
  if (crs === undefined) return new Set([0])
  const { rows } = await client.query<{ srid: number }>(
    `select srid from spatial_ref_sys where auth_name || ':' || auth_srid = $1 or ($1 is null and srtext = $2)`,
    [crs.srs ?? null, crs.wkt ?? null],
  )
  return new Set(rows.map(({ srid }) => srid))
}

interface SurveyRow {
  rows: number
  min_x?: number | null
  min_y?: number | null
  max_x?: number | null
  max_y?: number | null
}

/** Returns the number of rows and their bounds, if that does not take long. */
async function survey(
  client: Client,
  { schema, name }: TableEntry,
  geometry: PlannedGeometry | undefined,
): Promise<{ featureCount?: number; envelope?: Envelope }> {
  const bounds =
    geometry === undefined
      ? ''
      : `, min(ST_XMin(g)) as min_x, min(ST_YMin(g)) as min_y, max(ST_XMax(g)) as max_x, max(ST_YMax(g)) as max_y`
  const column = geometry === undefined ? '' : `${sourceGeometrySql(geometry)} as g`
  const sql = `select count(*)::float8 as rows${bounds} from (select ${column} from ${quoteTable(schema, name)}) as source`
  const [row] =
    (await withinTime(client, surveyMs, async () => (await client.query<SurveyRow>(sql)).rows)) ?? []
  if (row === undefined) return {}
  const { rows: featureCount, min_x: minX, min_y: minY, max_x: maxX, max_y: maxY } = row
  return minX == null || minY == null || maxX == null || maxY == null
    ? { featureCount }
    : { featureCount, envelope: { minX, minY, maxX, maxY } }
}
