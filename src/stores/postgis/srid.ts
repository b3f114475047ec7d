import type { ClientBase } from 'pg'
import type { CrsDeclaration } from '../../geo/crs.ts'

/**
 * First SRID for CRSs that Terrane adds. SRIDs for users end at 998999; the rows that PostGIS ships have
 * smaller SRIDs than this.
 */
const firstOwnSrid = 910_000
const endOwnSrid = 999_000

interface Authority {
  name: string
  code: number
}

function authorityOf(crs: CrsDeclaration): Authority | undefined {
  const match = /^(\w+):(\d{1,6})$/.exec(crs.srs ?? '')
  return match === null ? undefined : { name: match[1] as string, code: Number(match[2]) }
}

/**
 * Returns the SRID of a CRS in this database: that of its authority code, of a row with the same WKT, or of a
 * new row in `spatial_ref_sys`. 0 without a CRS, and `undefined` if a row is needed and this user may not
 * insert it.
 */
export async function findOrAddSrid(
  client: ClientBase,
  crs: CrsDeclaration | undefined,
): Promise<number | undefined> {
  if (crs === undefined) return 0
  return (await findSrid(client, crs)) ?? addSrid(client, crs, authorityOf(crs))
}

/** Returns the SRID of a CRS that this database knows. */
export async function findSrid(client: ClientBase, crs: CrsDeclaration): Promise<number | undefined> {
  const authority = authorityOf(crs)
  const known = await client.query<{ srid: number }>(
    `select srid from spatial_ref_sys
     where (auth_name = $1 and auth_srid = $2) or ($1::text is null and srtext = $3)
     order by srid limit 1`,
    [authority?.name ?? null, authority?.code ?? null, crs.wkt ?? ''],
  )
  return known.rows[0]?.srid
}

async function addSrid(
  client: ClientBase,
  crs: CrsDeclaration,
  authority: Authority | undefined,
): Promise<number | undefined> {
  const allowed = await client.query<{ ok: boolean }>(
    `select has_table_privilege('spatial_ref_sys', 'insert') as ok`,
  )
  if (allowed.rows[0]?.ok !== true) return undefined
  const values = [
    authority?.name ?? null,
    authority?.code ?? null,
    (crs.wkt ?? '').slice(0, 2048),
    (crs.proj4 ?? '').slice(0, 2048),
  ]
  const insert = `insert into spatial_ref_sys (srid, auth_name, auth_srid, srtext, proj4text)`
  if (authority?.name === 'EPSG' && authority.code < firstOwnSrid) {
    await client.query(`${insert} values ($2, $1, $2, $3, $4) on conflict (srid) do nothing`, values)
    return authority.code
  }
  await client.query('lock table spatial_ref_sys in share row exclusive mode')
  const added = await client.query<{ srid: number }>(
    `${insert}
     select coalesce(max(srid) + 1, ${firstOwnSrid}), $1, $2::int, $3, $4 from spatial_ref_sys
     where srid >= ${firstOwnSrid} and srid < ${endOwnSrid}
     having coalesce(max(srid) + 1, ${firstOwnSrid}) < ${endOwnSrid}
     returning srid`,
    values,
  )
  return added.rows[0]?.srid
}

/** Returns the CRS of an SRID; `undefined` for 0 and for an SRID that the database does not know. */
export async function findCrsOfSrid(client: ClientBase, srid: number): Promise<CrsDeclaration | undefined> {
  if (srid <= 0) return undefined
  const { rows } = await client.query<{ name: string | null; code: number | null; wkt: string | null }>(
    'select auth_name as name, auth_srid as code, srtext as wkt from spatial_ref_sys where srid = $1',
    [srid],
  )
  const row = rows[0]
  if (row === undefined) return undefined
  const crs: CrsDeclaration = {}
  if (row.name !== null && row.code !== null) crs.srs = `${row.name}:${row.code}`
  if (row.wkt !== null && row.wkt !== '') crs.wkt = row.wkt
  return crs.srs === undefined && crs.wkt === undefined ? undefined : crs
}
