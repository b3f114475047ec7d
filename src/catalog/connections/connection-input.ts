import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freeStoreFile } from '../../core/config/data-directory.ts'
import { conflict, invalid } from '../../core/errors/errors.ts'
import { toFileName } from '../../core/text/free-name.ts'
import { isInside, realPathOf } from '../../inputs/index.ts'
import {
  mosaicType,
  rasterFolderType,
  readRaster,
  type StoreConnection,
  type StoreDescription,
  type StoreParameters,
} from '../../stores/index.ts'
import { findStoreDescription, getNamedStore, ownStores } from '../../stores/registry.ts'
import type { AnyConnection, StoreRecord } from '../records.ts'
import { hiddenSecret } from '../records.ts'

/** A connection in a request: store types have alternative names, files are paths or URLs. */
export interface ConnectionInput {
  type?: string | undefined
  parameters: StoreParameters
}

/** Workspace of the store, and the folders in which its file may be. */
export interface StoreContext {
  workspace: string
  name: string
  storesFolder: string
  /** True if servers share no disk, so that a store in a file would exist only on one server. */
  refusesFiles?: boolean
  importRoots: readonly string[]
  /** Files of the workspace's stores. */
  taken: ReadonlySet<string>
}

/** Elapsed time; GDAL programs also have a limit on their CPU time. */
const describeMs = 120_000

/** Validates the connection of a new or changed data store, including permitted paths and addresses. */
export async function toDataConnection(
  given: ConnectionInput,
  context: StoreContext,
): Promise<StoreConnection> {
  const { type, file, defaults } = storeOf(given)
  if (file !== undefined && context.refusesFiles === true) throw fileStoreRefused(type)
  const parameters =
    file === undefined ? given.parameters : await fileParameters(given.parameters, file.extension, context)
  return { type, parameters: { ...defaults, ...parameters } }
}

/** Returns the type by `type` or `dbtype`; without either, a file of the server. */
function storeOf({ type, parameters }: ConnectionInput): StoreDescription {
  const name = type ?? parameters.dbtype
  if (name === undefined && Object.keys(parameters).length === 0) return ownStores.file
  return getNamedStore(name ?? '')
}

async function fileParameters(
  parameters: StoreParameters,
  extension: string,
  context: StoreContext,
): Promise<StoreParameters> {
  const { path, database, dbtype: _dbtype, ...others } = parameters
  const given = withoutScheme(database ?? path)
  if (given === undefined || given === '') return { ...others, path: newFile(context, extension) }
  return { ...others, ...(await allowedFile(given, context)) }
}

/** Validates the raster of a new or changed coverage store; its format is detected from the file. */
export async function toCoverageConnection(
  { type: given, parameters }: ConnectionInput,
  context: StoreContext,
): Promise<AnyConnection> {
  const text = withoutScheme(parameters.url ?? parameters.path)
  if (text === undefined || text === '') {
    throw invalid(
      'store-path',
      'A coverage store needs the "url" or the connection parameter "path" of its file or folder',
    )
  }
  const { path = '', ...others } = await allowedFile(text, context)
  if ((await stat(path).catch(() => undefined))?.isDirectory() === true) {
    const isMosaic = given?.toLowerCase() === mosaicType.toLowerCase()
    if (given !== undefined && !isMosaic && given.toLowerCase() !== rasterFolderType.toLowerCase())
      throw invalid('unknown-store-type', `"${text}" is a folder, not a ${given}`)
    if (others.read_only !== 'true')
      throw invalid(
        'path-not-allowed',
        `"${text}" lies in the data directory: publish a folder of TERRANE_IMPORT_ROOTS`,
      )
    if (isMosaic)
      return { type: mosaicType, parameters: { path, ...others, ...mosaicParameters(parameters, context) } }
    return { type: rasterFolderType, parameters: { path, ...others } }
  }
  const { type } = await readRaster(path, AbortSignal.timeout(describeMs))
  if (given !== undefined && given.toLowerCase() !== type.toLowerCase()) {
    throw invalid('unknown-store-type', `The file is a ${type}, not a ${given}`)
  }
  return { type, parameters: { path } }
}

/** Returns the parameters of a mosaic: how times are determined, and the server's folder for the index. */
function mosaicParameters(
  { time = 'none' }: StoreParameters,
  { storesFolder, workspace, name }: StoreContext,
): StoreParameters {
  if (time !== 'none' && time !== 'auto')
    throw invalid('invalid-time-mode', `The time of a mosaic is "none" or "auto", found "${time}"`)
  const folder = `${toFileName(name)}_${randomUUID().slice(0, 8)}`
  return { time, folder: join(storesFolder, toFileName(workspace), folder) }
}

function fileStoreRefused(type: string): Error {
  return invalid(
    'file-store-refused',
    `The files of this installation are in an object store (TERRANE_FILES), and a ${type} store would be on one server only. Load the file into the PostGIS store of the workspace: terrane import <file>`,
  )
}

function withoutScheme(text: string | undefined): string | undefined {
  return text?.replace(/^file:(\/\/(?=\/))?/i, '')
}

function newFile({ storesFolder, workspace, name, taken }: StoreContext, extension: string): string {
  return freeStoreFile({ stores: storesFolder }, workspace, `${name}.${extension}`, taken)
}

/**
 * Returns a file in the folder of the server's stores (relative paths are relative to it), or one of an
 * import root, which belongs to the operator and is only read.
 */
async function allowedFile(given: string, context: StoreContext): Promise<StoreParameters> {
  const { storesFolder, importRoots } = context
  const path = resolve(storesFolder, given)
  const isIn = (folders: readonly string[]): Promise<boolean> =>
    isInside([...folders], path).catch(() => false)
  if (await isIn([storesFolder])) return { path }
  if ((await isIn(importRoots)) && existsSync(path))
    return { path: await realPathOf(path), read_only: 'true' }
  throw invalid(
    'path-not-allowed',
    `"${given}" lies neither in the folder "stores" of the data directory nor is it a file in one of TERRANE_IMPORT_ROOTS`,
  )
}

/**
 * Returns the parameters of a store after a change: omitted ones are not changed, and neither is a password
 * given as `********`. Undefined if nothing changes.
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
  const requested = { ...current, ...change }
  const keepsSecret = store.secretNames.some((name) => requested[name] === hiddenSecret)
  const scope = findStoreDescription(store.type)?.server?.passwordScope ?? []
  const moved = changed.find((name) => scope.includes(name))
  if (keepsSecret && moved !== undefined)
    throw invalid('password-needed', `With another "${moved}" the password has to be given again`)
  return requested
}
