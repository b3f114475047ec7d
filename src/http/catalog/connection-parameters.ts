import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AnyConnection, StoreRecord } from '../../catalog/records.ts'
import { hiddenSecret } from '../../catalog/store-connections.ts'
import { listStorePaths } from '../../catalog/stores.ts'
import type { DataDirectory } from '../../config/data-directory.ts'
import { freeStoreFile } from '../../config/data-directory.ts'
import type { Database } from '../../db/connection.ts'
import { conflict, invalid } from '../../lib/errors.ts'
import { ownValue } from '../../lib/own-value.ts'
import { isInside, realPathOf } from '../../sources/path-guard.ts'
import { mosaicType } from '../../stores/rasters/coverage-types.ts'
import { readRaster } from '../../stores/rasters/read-raster.ts'
import type { StoreConnection, StoreParameters } from '../../stores/store.ts'

const maxParameters = 100

/** Types of stores that this interface makes, by their names and their `dbtype`. */
const typesByName: Record<string, 'GeoPackage' | 'PostGIS'> = {
  geopackage: 'GeoPackage',
  geopkg: 'GeoPackage',
  gpkg: 'GeoPackage',
  postgis: 'PostGIS',
}

/** Parameters as clients know them; secrets read `********`. */
export function toWireParameters(store: StoreRecord): { entry: { '@key': string; $: string }[] } {
  const shown = Object.entries(store.parameters)
  const hidden = store.secretNames.map((name): [string, string] => [name, hiddenSecret])
  return { entry: [...shown, ...hidden].map(([key, value]) => ({ '@key': key, $: value })) }
}

/** Parameters from either form, `{"host": "..."}` or `{"entry": [{"@key": "host", "$": "..."}]}`. */
export function fromWireParameters(wire: Record<string, unknown> | undefined): StoreParameters {
  const entries = wire === undefined ? [] : 'entry' in wire ? listEntries(wire.entry) : Object.entries(wire)
  if (entries.length > maxParameters)
    throw invalid('invalid-parameters', `There are more than ${maxParameters} connection parameters`)
  return Object.fromEntries(entries.map(([key, value]) => [key, parameterText(key, value)]))
}

function listEntries(entry: unknown): [string, unknown][] {
  return (Array.isArray(entry) ? entry : [entry]).map((one: unknown) => {
    const { '@key': key, $: value } = (typeof one === 'object' && one !== null ? one : {}) as Record<
      string,
      unknown
    >
    if (typeof key !== 'string')
      throw invalid(
        'invalid-parameters',
        'A connection parameter needs the form {"@key": "host", "$": "localhost"}',
      )
    return [key, value ?? '']
  })
}

function parameterText(key: string, value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (isScalar && String(value).length <= 10_000) return String(value)
  throw invalid('invalid-parameters', `Connection parameter "${key}" must be a text, a number or a flag`)
}

export interface WantedConnection {
  type?: string
  parameters: StoreParameters
}

export interface Place {
  database: Database
  directory: DataDirectory
  importRoots: string[]
  workspace: string
  name: string
}

/** What a new or changed store connects to, checked for what a request may name. */
export async function toConnection(wanted: WantedConnection, place: Place): Promise<StoreConnection> {
  const type = storeType(wanted)
  if (type === 'PostGIS') return { type, parameters: { dbtype: 'postgis', ...wanted.parameters } }
  return { type, parameters: await geoPackageParameters(wanted.parameters, place) }
}

function storeType({ type, parameters }: WantedConnection): 'GeoPackage' | 'PostGIS' {
  const name = type ?? parameters.dbtype ?? (Object.keys(parameters).length === 0 ? 'geopackage' : '')
  const found = ownValue(typesByName, name.toLowerCase().replaceAll(/[\s_-]/g, ''))
  if (found !== undefined) return found
  throw invalid(
    'unknown-store-type',
    name === ''
      ? 'The store needs a "type": GeoPackage or PostGIS'
      : `Store type "${name}" is not GeoPackage or PostGIS`,
  )
}

async function geoPackageParameters(parameters: StoreParameters, place: Place): Promise<StoreParameters> {
  const { path, database, dbtype: _dbtype, ...others } = parameters
  const wanted = (database ?? path)?.replace(/^file:(\/\/(?=\/))?/i, '')
  if (wanted === undefined || wanted === '') return { ...others, path: await newFile(place) }
  return { ...others, ...(await allowedFile(wanted, place)) }
}

const describeMs = 15_000

/** The raster that a new or changed coverage store serves; its format is what the file says. */
export async function toCoverageConnection(wanted: WantedConnection, place: Place): Promise<AnyConnection> {
  const { type: wantedType, parameters } = wanted
  if (wantedType?.toLowerCase() === mosaicType.toLowerCase()) {
    throw invalid(
      'unknown-store-type',
      'Mosaics come into being by an import of mosaic data: POST /rest/imports',
    )
  }
  const text = (parameters.url ?? parameters.path)?.replace(/^file:(\/\/(?=\/))?/i, '')
  if (text === undefined || text === '') {
    throw invalid(
      'store-path',
      'A coverage store needs the "url" or the connection parameter "path" of its file',
    )
  }
  const { path = '' } = await allowedFile(text, place)
  const { type } = await readRaster(path, AbortSignal.timeout(describeMs))
  if (wantedType !== undefined && wantedType.toLowerCase() !== type.toLowerCase()) {
    throw invalid('unknown-store-type', `The file is a ${type}, not a ${wantedType}`)
  }
  return { type, parameters: { path } }
}

async function newFile({ database, directory, workspace, name }: Place): Promise<string> {
  const taken = await listStorePaths(database.kysely, workspace)
  return freeStoreFile(directory, workspace, `${name}.gpkg`, taken)
}

/**
 * A file in the data directory's `stores` folder (a relative path counts from there), or one of an import root,
 * which is the operator's own and only read.
 */
async function allowedFile(wanted: string, { directory, importRoots }: Place): Promise<StoreParameters> {
  const path = resolve(directory.stores, wanted)
  const isIn = (folders: string[]): Promise<boolean> => isInside(folders, path).catch(() => false)
  if (await isIn([directory.stores])) return { path }
  if ((await isIn(importRoots)) && existsSync(path))
    return { path: await realPathOf(path), read_only: 'true' }
  throw invalid(
    'path-not-allowed',
    `"${wanted}" lies neither in the folder "stores" of the data directory nor is it a file in one of TERRANE_IMPORT_ROOTS`,
  )
}

/** What a password is for; with another of these it has to be given again. */
const passwordScope = ['host', 'port', 'database', 'user']

/**
 * The parameters of a store after a change: what it leaves out stays, and so does a password given as `********`.
 * Undefined when nothing is another.
 */
export function changedParameters(store: StoreRecord, change: StoreParameters): StoreParameters | undefined {
  const hidden = Object.fromEntries(store.secretNames.map((name) => [name, hiddenSecret]))
  const current: StoreParameters = { ...store.parameters, ...hidden }
  const changed = Object.keys(change).filter((name) => change[name] !== current[name])
  if (changed.length === 0) return undefined
  if (store.isDefault)
    throw conflict(
      'default-store',
      `The server itself keeps the connection of the default store "${store.name}"`,
    )
  const wanted = { ...current, ...change }
  const keepsSecret = store.secretNames.some((name) => wanted[name] === hiddenSecret)
  const moved = changed.find((name) => passwordScope.includes(name))
  if (keepsSecret && moved !== undefined)
    throw invalid('password-needed', `With another "${moved}" the password has to be given again`)
  return wanted
}
