import type { SQLInputValue } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import type { CrsDeclaration } from '../../geo/crs.ts'

/** CRS definition for a code. */
export interface CrsDefinition {
  organization: string
  code: number
  name: string
  wkt: string
}

/** Returns the definition of a code such as `EPSG:25832`, undefined if unknown. */
export type FindCrsDefinition = (srs: string) => CrsDefinition | undefined

const firstOwnId = 100_000
const undefinedCartesian = -1

/** Returns the `srs_id` of a CRS, after inserting its row if missing (OGC 12-128r18, section 1.1.2). */
export function ensureCrs(
  db: DatabaseSync,
  crs: CrsDeclaration | undefined,
  findDefinition: FindCrsDefinition,
): number {
  if (crs === undefined) return undefinedCartesian
  const named = crs.srs === undefined ? undefined : ensureNamed(db, crs.srs, crs.wkt, findDefinition)
  return named ?? ensureDefined(db, crs.wkt ?? crs.projjson ?? crs.proj4 ?? 'undefined')
}

/** Returns what `ensureCrs` would return, without writing to the file. */
export function foreseeCrs(
  db: DatabaseSync,
  crs: CrsDeclaration | undefined,
  findDefinition: FindCrsDefinition,
): number {
  const columns = 'srs_name, srs_id, organization, organization_coordsys_id, definition'
  const dryRun = new DatabaseSync(':memory:')
  try {
    dryRun.exec(`CREATE TABLE gpkg_spatial_ref_sys (${columns})`)
    const add = dryRun.prepare('INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?)')
    dryRun.exec('BEGIN')
    for (const row of db.prepare(`SELECT ${columns} FROM gpkg_spatial_ref_sys`).iterate()) {
      add.run(...(Object.values(row) as SQLInputValue[]))
    }
    return ensureCrs(dryRun, crs, findDefinition)
  } finally {
    dryRun.close()
  }
}

function ensureNamed(
  db: DatabaseSync,
  srs: string,
  wkt: string | undefined,
  findDefinition: FindCrsDefinition,
): number | undefined {
  const [, organization = '', text = ''] = /^([^:]+):(\d{1,9})$/.exec(srs) ?? []
  if (organization === '') return undefined
  const code = Number(text)
  const known = db
    .prepare(
      `SELECT srs_id FROM gpkg_spatial_ref_sys
       WHERE upper(organization) = upper(?) AND organization_coordsys_id = ?`,
    )
    .get(organization, code)
  if (known !== undefined) return Number(known['srs_id'])
  const found = findDefinition(srs)
  const isFree = db.prepare('SELECT 1 FROM gpkg_spatial_ref_sys WHERE srs_id = ?').get(code) === undefined
  const id = isFree && code > 0 ? code : nextOwnId(db)
  insertCrs(db, id, organization, code, found?.name ?? srs, found?.wkt ?? wkt ?? 'undefined')
  return id
}

/** Returns the id of a CRS without a code: an existing one with the same definition, otherwise a new id. */
function ensureDefined(db: DatabaseSync, definition: string): number {
  const known = db
    .prepare(`SELECT srs_id FROM gpkg_spatial_ref_sys WHERE definition = ? AND srs_id >= ?`)
    .get(definition, firstOwnId)
  if (known !== undefined) return Number(known['srs_id'])
  const id = nextOwnId(db)
  const name = /"([^"]{1,100})"/.exec(definition)?.[1] ?? 'Without a code'
  insertCrs(db, id, 'NONE', id, name, definition)
  return id
}

function nextOwnId(db: DatabaseSync): number {
  const highest = db.prepare('SELECT max(srs_id) AS id FROM gpkg_spatial_ref_sys').get()?.['id']
  return Math.max(firstOwnId, Number(highest ?? 0) + 1)
}

function insertCrs(
  db: DatabaseSync,
  id: number,
  organization: string,
  code: number,
  name: string,
  definition: string,
): void {
  db.prepare(
    `INSERT INTO gpkg_spatial_ref_sys (srs_name, srs_id, organization, organization_coordsys_id, definition)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(name, id, organization, code, definition)
}
