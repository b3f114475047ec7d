import type { DatabaseSync } from 'node:sqlite'
import { invalid } from '../../../core/errors/errors.ts'
import { isSameName, quoteName, quoteText } from '../../../formats/geopackage/index.ts'
import type { AttributeType } from '../../../geo/schema.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { stagedKey } from '../load-plan.ts'

/** SQL expressions for a column after and before the load. */
export interface ComparedColumn {
  name: string
  type: AttributeType | 'geometry'
  /** Value after the load, from the staged row `s`. */
  after: string
  /** Present value, from the row `x` of the table. */
  before: string
}

/**
 * Returns the columns that decide whether a staged row differs from a table row: those that a load writes,
 * except the identity column of the source, since another export may have assigned other ids.
 */
export function comparedColumns(db: DatabaseSync, plan: GeoPackageLoadPlan): ComparedColumn[] {
  const { attributes } = plan.request.schema
  const identity = plan.columns.find(({ source }) => attributes[source]?.isIdentity === true)?.name
  return writtenColumns(db, plan).filter(({ name }) => name !== identity)
}

/**
 * Returns the columns that a load may change. An `UPSERT` does not change those that the data lack; loads
 * that replace rows set their defaults.
 */
export function writtenColumns(db: DatabaseSync, plan: GeoPackageLoadPlan): ComparedColumn[] {
  const { geometry, columns, request } = plan
  const isUpsert = request.mode === 'UPSERT'
  const compared: ComparedColumn[] = []
  if (geometry !== undefined && !(isUpsert && request.schema.geometry === undefined)) {
    const before = `x.${quoteName(geometry.name)}`
    compared.push({ name: geometry.name, type: 'geometry', after: 's.c0', before })
  }
  const first = geometry === undefined ? 0 : 1
  columns.forEach(({ name, target }, index) => {
    const before = `x.${quoteName(name)}`
    compared.push({ name, type: target.type, after: `s.c${index + first}`, before })
  })
  if (!isUpsert) compared.push(...missingColumns(db, plan))
  return compared
}

/** Returns columns that the data lack, with the values of a new row. */
function missingColumns(db: DatabaseSync, plan: GeoPackageLoadPlan): ComparedColumn[] {
  const infos = db.prepare(`PRAGMA main.table_xinfo(${quoteText(plan.table)})`).all()
  return (plan.existing?.schema.attributes ?? []).flatMap(({ name, type }) => {
    const info = infos.find((column) => column['name'] === name)
    const isFilled = plan.columns.some((column) => column.name === name)
    if (isFilled || info === undefined || Number(info['hidden']) > 1) return []
    const value = info['dflt_value'] === null ? 'NULL' : `(${String(info['dflt_value'])})`
    return [{ name, type, after: value, before: `x.${quoteName(name)}` }]
  })
}

/** Returns the columns that match rows. Throws `Failure` if the table or the data lack one. */
export function keyColumns(plan: GeoPackageLoadPlan, keys: readonly string[]): ComparedColumn[] {
  if (keys.length === 0)
    throw invalid('invalid-keys', 'Rows are matched by one column or more: none is named')
  const first = plan.geometry === undefined ? 0 : 1
  return keys.map((key) => {
    if (plan.keyColumn !== undefined && isSameName(plan.id, key)) {
      return { name: plan.id, type: 'int64', after: `s.${stagedKey}`, before: `x.${quoteName(plan.id)}` }
    }
    const exact = plan.columns.findIndex(({ name }) => name === key)
    const index = exact >= 0 ? exact : plan.columns.findIndex(({ name }) => isSameName(name, key))
    const column = plan.columns[index]
    if (column === undefined) throw unknownKey(plan, key)
    const { name, target } = column
    return { name, type: target.type, after: `s.c${index + first}`, before: `x.${quoteName(name)}` }
  })
}

export const typesOf = (columns: readonly ComparedColumn[]): string[] => columns.map(({ type }) => type)

function unknownKey(plan: GeoPackageLoadPlan, key: string): Error {
  const isThere = [plan.id, ...(plan.existing?.schema.attributes ?? []).map(({ name }) => name)].some(
    (name) => isSameName(name, key),
  )
  const who = isThere ? 'the data have' : `the table "${plan.table}" has`
  return invalid('invalid-keys', `Rows cannot be matched by "${key}": ${who} no such column`)
}
