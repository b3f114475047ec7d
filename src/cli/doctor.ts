import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { findBundle } from '../core/bundle/server-bundle.mjs'
import type { FileSettings } from '../core/config/file-settings.ts'
import type { DataSettings, Settings } from '../core/config/settings.ts'
import { databaseFile, readSettings } from '../core/config/settings.ts'
import { version } from '../core/config/version.ts'
import { explain } from '../core/errors/errors.ts'
import { openFileStore } from '../core/file-store/open-file-store.ts'
import { findProgram, ProgramError, runProgram } from '../core/process/process.ts'
import type { Secret } from '../core/secrets/secret.ts'
import type { Finding } from './examine-servers.ts'
import { databaseMilliseconds, examineServers } from './examine-servers.ts'
import type { Environment } from './options.ts'
import { jsonFlag, readFlags, refuseMoreWords } from './options.ts'
import { textTable } from './text-table.ts'

const neededNodeMajor = 24
const programMilliseconds = 10_000

/** `terrane doctor`: prints a table of dependencies; exit code 1 if a required one is missing. */
export async function runDoctor(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags('doctor', args, jsonFlag)
  refuseMoreWords('doctor', positionals, 0)
  const { settings, problems } = readSettings(env)
  const findings = await Promise.all([
    ...problems.map((cost) => ({ part: 'setting', found: 'wrong', cost, isNeeded: true })),
    ...settings.notices.map((cost) => ({ part: 'setting', found: 'unknown', cost, isNeeded: false })),
    examineNode(),
    checkProgram(),
    examineGdal(),
    examineProj(),
    examineMapServer(),
    examineDatabase(settings.databaseUrl),
    ...(settings.databaseUrl === undefined ? [] : [examineServers(settings.databaseUrl)]),
    examineData(settings.data),
    checkFiles(settings.files, settings.data),
    examineVersions(settings.data, settings.databaseUrl, settings.retention),
    ...settings.data.importRoots.map((root) => examineRoot(root, settings.data)),
  ])
  if (values.json) {
    const parts = findings.map(({ isNeeded, ...one }) => ({ ...one, needed: isNeeded }))
    process.stdout.write(`${JSON.stringify({ version, parts }, null, 2)}\n`)
  } else process.stdout.write(`${doctorText(findings)}\n`)
  return findings.some((one) => one.isNeeded && one.cost !== '') ? 1 : 0
}

function doctorText(findings: Finding[]): string {
  const rows = findings.map(({ part, found, cost }) => [part, found, cost === '' ? 'nothing' : cost])
  return `Terrane ${version}\n\n${textTable(['part', 'found', 'what it costs'], rows)}`
}

async function examineNode(): Promise<Finding> {
  const { node, sqlite } = process.versions
  const isOld = Number(node.split('.')[0]) < neededNodeMajor
  const cost = isOld ? `Terrane needs Node ${neededNodeMajor} or later` : ''
  return { part: 'Node', found: `${node}, SQLite ${sqlite}`, cost, isNeeded: true }
}

/** Reports if commands and the server start from the bundle of the set-up. */
function checkProgram(): Finding {
  const { reason } = findBundle(join(import.meta.dirname, '..', '..'))
  return {
    part: 'program',
    found: reason === undefined ? 'bundle' : `sources: ${reason}`,
    cost: reason === undefined ? '' : 'the server and its workers start more slowly: run "npm run setup"',
    isNeeded: false,
  }
}

async function examineGdal(): Promise<Finding> {
  const output = await programOutput('ogr2ogr', ['--version'])
  return {
    part: 'GDAL',
    found: /GDAL (\S+?),/.exec(output ?? '')?.[1] ?? 'not installed',
    cost:
      output === undefined
        ? 'only Shapefile, GeoJSON, CSV, GeoPackage and FlatGeobuf are read: install gdal-bin'
        : '',
    isNeeded: false,
  }
}

async function examineProj(): Promise<Finding> {
  const output = await programOutput('proj', [])
  const cost = 'coordinate systems with datum grids are not transformed exactly: install proj-bin'
  return {
    part: 'PROJ',
    found: /Rel\. ([\d.]+\d)/.exec(output ?? '')?.[1] ?? 'not installed',
    cost: output === undefined ? cost : '',
    isNeeded: false,
  }
}

async function examineMapServer(): Promise<Finding> {
  const paths = await Promise.all(['mapserv', 'spawn-fcgi'].map((name) => findProgram(name)))
  const isThere = paths.every((path) => path !== undefined)
  const output = isThere ? await programOutput('mapserv', ['-v']) : undefined
  return {
    part: 'MapServer',
    found: /MapServer version (\S+)/.exec(output ?? '')?.[1] ?? 'not installed',
    cost: isThere ? '' : 'maps by WMS are not drawn: install cgi-mapserver and spawn-fcgi',
    isNeeded: false,
  }
}

async function examineDatabase(databaseUrl: Secret | undefined): Promise<Finding> {
  const part = 'PostgreSQL'
  if (databaseUrl === undefined) {
    return { part, found: 'not set: SQLite is used', cost: '', isNeeded: true }
  }
  const limits = { connectionTimeoutMillis: databaseMilliseconds, query_timeout: databaseMilliseconds }
  const client = new Client({ connectionString: databaseUrl.reveal(), ...limits })
  try {
    await client.connect()
    const { rows } = await client.query<{ server: string; postgis: string | null }>(
      `select current_setting('server_version') as server,
              (select default_version from pg_available_extensions where name = 'postgis') as postgis`,
    )
    const { server = '', postgis } = rows[0] ?? {}
    const found = `${server}, PostGIS ${postgis ?? 'none'}`
    return { part, found, cost: postgis == null ? 'the server has no PostGIS' : '', isNeeded: true }
  } catch (error) {
    return { part, found: 'not reached', cost: `TERRANE_DATABASE_URL: ${explain(error)}`, isNeeded: true }
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function examineData(data: DataSettings): Promise<Finding> {
  const part = 'data directory'
  const cost = await whyNotUsable(data.directory, constants.W_OK)
  const isMissing = cost === 'it does not exist'
  const free = isMissing || cost !== '' ? '' : `, ${await freeSpace(data.directory)} free`
  return { part, found: data.directory + free, cost: isMissing ? '' : cost, isNeeded: true }
}

const filesMilliseconds = 30_000

/** Writes, reads, lists and removes a small object of the file store. */
async function checkFiles(files: FileSettings, { directory }: DataSettings): Promise<Finding> {
  const part = 'files'
  const { s3 } = files
  if (s3 === undefined) return { part, found: 'in the data directory', cost: '', isNeeded: true }
  const found = `s3://${s3.bucket}/${s3.prefix}`
  const { store } = await openFileStore(files, directory)
  try {
    await store.check(AbortSignal.timeout(filesMilliseconds))
    return { part, found, cost: '', isNeeded: true }
  } catch (error) {
    return { part, found, cost: error instanceof Error ? error.message : String(error), isNeeded: true }
  } finally {
    store.close()
  }
}

async function examineVersions(
  data: DataSettings,
  databaseUrl: Secret | undefined,
  retention: Settings['retention'],
): Promise<Finding> {
  const { versionDays: days, versionBytes } = retention
  const size = `${(versionBytes / 2 ** 30).toFixed(1)} GiB`
  const limits = days === 0 ? 'none are kept' : `kept for ${days} days, at most ${size} for each store`
  const kept = await measureRetainedVersions(data, databaseUrl).catch(() => undefined)
  const now = kept === undefined ? '' : `; now ${kept.contents} of ${(kept.bytes / 2 ** 20).toFixed(1)} MiB`
  const found = limits + now
  const cost = days === 0 ? 'no change of a layer can be taken back: TERRANE_KEEP_VERSIONS' : ''
  return { part: 'versions', found, cost, isNeeded: false }
}

const keptSql = `SELECT count(*) AS contents, coalesce(sum(size_bytes), 0) AS bytes FROM layer_contents WHERE form = 'kept'`

/**
 * Returns the size of retained versions according to the catalogue; undefined if there is no catalogue yet.
 */
async function measureRetainedVersions(
  data: DataSettings,
  databaseUrl: Secret | undefined,
): Promise<{ contents: number; bytes: number } | undefined> {
  const toCost = (row: Record<string, unknown> | undefined) => ({
    contents: Number(row?.['contents']),
    bytes: Number(row?.['bytes']),
  })
  if (databaseUrl === undefined) {
    const path = join(data.directory, databaseFile)
    if (!existsSync(path)) return undefined
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      return toCost(db.prepare(keptSql).get())
    } finally {
      db.close()
    }
  }
  const limits = { connectionTimeoutMillis: databaseMilliseconds, query_timeout: databaseMilliseconds }
  const client = new Client({ connectionString: databaseUrl.reveal(), ...limits })
  try {
    await client.connect()
    return toCost((await client.query<Record<string, unknown>>(keptSql)).rows[0])
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function examineRoot(root: string, data: DataSettings): Promise<Finding> {
  const cost = await whyNotUsable(root, constants.R_OK)
  const isMade = root.startsWith(`${data.directory}/`)
  return { part: 'import root', found: root, cost: isMade ? '' : cost, isNeeded: false }
}

async function whyNotUsable(folder: string, mode: number): Promise<string> {
  try {
    await access(folder, mode)
    return ''
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'it does not exist' : 'this user may not use it'
  }
}

async function freeSpace(folder: string): Promise<string> {
  const { bavail, bsize } = await statfs(folder)
  return `${((bavail * bsize) / 2 ** 30).toFixed(1)} GiB`
}

/**
 * Returns the output of a program on both streams, whatever its exit code; undefined if it is not installed.
 */
async function programOutput(program: string, args: string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await runProgram(program, args, { timeoutMs: programMilliseconds })
    return `${stdout}${stderr}`
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    return error.reason === 'not-found' ? undefined : error.stderr
  }
}
