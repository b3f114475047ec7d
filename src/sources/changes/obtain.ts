import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Vault } from '../../core/secrets/vault.ts'
import { defined } from '../../core/values/defined.ts'
import type { SourceRequest } from '../../importer/index.ts'
import {
  fetchRemote,
  isLocalLocation,
  parseLocation,
  probeRemote,
  type RemoteAccess,
  readService,
  resolveInRoots,
  type SourceLimits,
} from '../../inputs/index.ts'
import type { Fingerprint, PathData, RemoteData, SourceRecord } from '../model/source.ts'
import { digestOfFiles, digestOfStates, hashFiles, listFileStates } from './file-states.ts'

/** Dependencies for obtaining data. */
export interface ObtainDeps {
  remote: RemoteAccess
  vault: Pick<Vault, 'open'>
  roots: readonly string[]
  limits: Pick<SourceLimits, 'maxEntries'>
}

/** Data of a run, or the finding that they are unchanged. */
export interface Obtained {
  /** Absent if the data are unchanged. */
  request?: SourceRequest
  fingerprint: Fingerprint
  /** Names of files that are the same as in the last run. */
  unchangedFiles?: ReadonlySet<string>
  newest?: string
  /** True if only changed features were read. */
  isPartial?: boolean
  notes: string[]
}

/** Options of obtaining the data of a run. */
export interface ObtainOptions {
  /** Folder of the run, for fetched files. */
  folder: string
  /** True to read everything from a service. */
  isComplete: boolean
  /** True to load data that are unchanged. */
  isForced: boolean
  signal: AbortSignal
}

/** Digest of the settings that decide what is loaded. */
function digestOfSettings({ settings }: SourceRecord): string {
  const { data, transforms, target, srs, updateMode, keys, deleteMissing, repair } = settings
  const text = JSON.stringify([data, transforms, target, srs, updateMode, keys, deleteMissing, repair])
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Obtains the data of a source, or finds that they are those of the last successful run: by sizes and times or
 * the validator of a server, then by content. Throws `Failure`.
 */
export function obtain(deps: ObtainDeps, source: SourceRecord, options: ObtainOptions): Promise<Obtained> {
  const { data } = source.settings
  if (data.type === 'remote') return obtainRemote(deps, source, data, options)
  if (data.type === 'service') return obtainService(deps, source, options)
  if (data.type === 'database') return obtainDatabase(deps, source)
  return obtainPath(deps, source, data, options)
}

/** Fingerprint of the last run; undefined if the settings have changed since, or a load is forced. */
function knownFingerprint(source: SourceRecord, { isForced }: ObtainOptions): Fingerprint | undefined {
  const { fingerprint } = source.memory
  return isForced || fingerprint?.settings !== digestOfSettings(source) ? undefined : fingerprint
}

async function obtainPath(
  deps: ObtainDeps,
  source: SourceRecord,
  { type, path: text, charset }: PathData,
  options: ObtainOptions,
): Promise<Obtained> {
  const { signal } = options
  const path = await resolveInRoots(text, deps.roots)
  const states = await listFileStates(path, { maxEntries: deps.limits.maxEntries, signal })
  const known = knownFingerprint(source, options)
  const settings = digestOfSettings(source)
  const version = digestOfStates(states)
  if (known?.version === version) return { fingerprint: known, notes: [] }
  const files = await hashFiles(states, signal)
  const isListOnly = Object.keys(files).length < states.length
  const content = isListOnly ? undefined : digestOfFiles(files)
  const fingerprint = { settings, version, content, files }
  if (content !== undefined && known?.content === content) return { fingerprint, notes: [] }
  const isSame = (name: string): boolean => files[name] === known?.files?.[name]
  const unchangedFiles = new Set(Object.keys(files).filter((name) => known !== undefined && isSame(name)))
  return { request: { type, path, charset }, fingerprint, unchangedFiles, notes: [] }
}

async function obtainRemote(
  deps: ObtainDeps,
  source: SourceRecord,
  data: RemoteData,
  options: ObtainOptions,
): Promise<Obtained> {
  const { location: text, username, domain, charset } = data
  if (isLocalLocation(text)) return obtainPath(deps, source, { type: 'file', path: text, charset }, options)
  const { location, credentials: inUrl } = parseLocation(text)
  const credentials = { ...inUrl, ...defined({ username, domain, password: passwordOf(deps, source) }) }
  const known = knownFingerprint(source, options)
  const settings = digestOfSettings(source)
  const access = { ...deps.remote, credentials, signal: options.signal }
  const version = await probeRemote(location, access, known?.version)
  if (version !== undefined && version === known?.version) return { fingerprint: known, notes: [] }
  const folder = await emptyFolder(options.folder)
  await fetchRemote(location, folder, { ...access, onProgress: () => undefined })
  const { signal } = options
  const states = await listFileStates(folder, { maxEntries: deps.limits.maxEntries, signal })
  const files = await hashFiles(states, signal)
  const content = digestOfFiles(files)
  const fingerprint = { settings, version, content }
  if (known?.content === content) return { fingerprint, notes: [] }
  return { request: { type: 'file', charset, place: moving(folder) }, fingerprint, notes: [] }
}

async function obtainService(
  deps: ObtainDeps,
  source: SourceRecord,
  options: ObtainOptions,
): Promise<Obtained> {
  const { data } = source.settings
  if (data.type !== 'service') throw new Error('The data are not a service')
  const { incremental } = data
  const known = knownFingerprint(source, options)
  const { newest, partialRuns = 0 } = source.memory
  const isPartial =
    incremental !== undefined &&
    known !== undefined &&
    newest !== undefined &&
    !options.isComplete &&
    partialRuns + 1 < incremental.fullEvery
  const { username, domain } = data
  const read = await readService(data, {
    access: deps.remote,
    credentials: { username, domain, password: passwordOf(deps, source) },
    folder: options.folder,
    since: isPartial ? newest : undefined,
    signal: options.signal,
  })
  const settings = digestOfSettings(source)
  const result = { newest: read.newest ?? newest, isPartial, notes: read.messages }
  if (isPartial && read.rows === 0) return { ...result, fingerprint: known }
  const fingerprint = { settings, content: isPartial ? undefined : read.digest }
  if (!isPartial && known?.content === read.digest) return { ...result, fingerprint }
  const folder = await emptyFolder(`${options.folder}.data`)
  const path = join(folder, layerFileName(data.layer))
  await rename(read.path, `${path}${extensionOf(read.path)}`)
  // GDAL ignores a feature schema that is older than its file: renaming keeps the times.
  for (const [extension, sidecar] of Object.entries(read.sidecars ?? {}))
    await rename(sidecar, `${path}.${extension}`)
  return { ...result, fingerprint, request: { type: 'file', place: moving(folder) } }
}

/** A service names layers with a prefix, and ArcGIS by numbers. */
function layerFileName(layer: string): string {
  return layer.replace(/^.*:/, '').replaceAll(/[^\p{L}\p{N}_-]+/gu, '_') || 'layer'
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.'))
}

async function obtainDatabase(deps: ObtainDeps, source: SourceRecord): Promise<Obtained> {
  const { data } = source.settings
  if (data.type !== 'database') throw new Error('The data are not a database')
  const connection = { ...data.connection, password: passwordOf(deps, source) }
  return {
    request: { type: 'database', database: { connection, tables: data.tables } },
    fingerprint: { settings: digestOfSettings(source) },
    notes: [],
  }
}

function passwordOf({ vault }: Pick<ObtainDeps, 'vault'>, { name, sealedPassword }: SourceRecord) {
  if (sealedPassword === '') return undefined
  const about = { what: `The password of source "${name}"`, remedy: 'store it again with the source' }
  return vault.open(sealedPassword, about)
}

async function emptyFolder(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Moves the files of a folder to the folder that the importer chooses. */
function moving(folder: string): (target: string) => Promise<void> {
  return async (target) => {
    await rm(target, { recursive: true, force: true })
    await mkdir(target, { recursive: true, mode: 0o700 })
    for (const name of await readdir(folder)) await rename(join(folder, name), join(target, name))
  }
}
