import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { zipFiles } from '../../core/files/zip-files.ts'
import { findWritingDriver, writeByGdal } from '../../formats/index.ts'
import { formats } from '../../formats/registry.ts'
import { type Format, FormatError, type WrittenByGdal } from '../../formats/worker.ts'
import { openVectorStore, ownStores } from '../../stores/registry.ts'
import { commitLoad } from '../../stores/worker.ts'
import type { RejectTable } from './reject-batches.ts'
import { openRejectTable } from './reject-batches.ts'
import type { ListedRejects } from './reject-texts.ts'
import { asDelimitedText, asGeoJson } from './reject-texts.ts'

/** Rejected rows of a task, to be written to a file. Plain data. */
export interface RejectFileRequest extends ListedRejects {
  /** Format of their source; absent for a database table. */
  format?: string
  /** Delimiter of delimited text. */
  delimiter?: string
  charset?: string
  /** A folder created for this file. */
  folder: string
  /** Base name of the file. */
  name: string
}

/** A file with rejected rows. Plain data. */
export interface RejectFile {
  path: string
  sizeBytes: number
  /** Format of its rows. */
  format: string
  /** Why it differs from that of their source. */
  note?: string
}

const table = 'rejects'

async function writeText(
  path: string,
  parts: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  await pipeline(Readable.from(parts), createWriteStream(path, { mode: 0o600 }), { signal })
  return path
}

async function writeGeoPackage(
  path: string,
  { schema, read }: RejectTable,
  signal: AbortSignal,
): Promise<string> {
  const store = openVectorStore({ type: ownStores.file.type, parameters: { path } })
  try {
    const request = { loadId: table, mode: 'CREATE' as const, table, schema, indexes: [] }
    const onReject = (_batch: unknown, _row: number, { reason }: { reason: string }): void => {
      throw new Error(`A rejected row cannot be written: ${reason}`)
    }
    const staged = await store.stage(request, read(), { signal, onMessage: () => undefined, onReject })
    await commitLoad(staged, async () => undefined)
  } finally {
    await store.close()
  }
  return path
}

async function writeOther(
  request: RejectFileRequest,
  written: WrittenByGdal,
  driver: string,
  signal: AbortSignal,
): Promise<string> {
  const from = join(request.folder, 'rows.gpkg')
  await writeGeoPackage(from, await openRejectTable(request, written, signal), signal)
  const folder = join(request.folder, 'out')
  await mkdir(folder)
  const path = await writeByGdal({ from, table, folder, name: request.name }, written, driver, signal)
  if (written.isZipped !== true) return path
  const zip = join(request.folder, `${request.name}.zip`)
  await zipFiles(zip, folder, signal)
  return zip
}

/** Writes a common format if the format of the source cannot be written. */
function writePlain(request: RejectFileRequest, signal: AbortSignal): Promise<string> {
  const hasGeometry = request.schema.geometry !== undefined
  const path = join(request.folder, `${request.name}.${hasGeometry ? 'geojson' : 'csv'}`)
  return writeText(path, hasGeometry ? asGeoJson(request) : asDelimitedText(request, {}), signal)
}

function plainFormat({ schema }: RejectFileRequest): string {
  return schema.geometry === undefined ? 'CSV' : 'GeoJSON'
}

async function writeIn(
  request: RejectFileRequest,
  format: Format | undefined,
  signal: AbortSignal,
): Promise<{ path: string; format: string; note?: string }> {
  const plain = async (note: string) => ({
    path: await writePlain(request, signal),
    format: plainFormat(request),
    note,
  })
  if (format === undefined) return plain('The source is a table of a database')
  const { name, writesRowsAs, writtenByGdal } = format
  const path = join(request.folder, `${request.name}.${format.extensions[0]}`)
  if (writesRowsAs === 'delimited')
    return { path: await writeText(path, asDelimitedText(request, request), signal), format: name }
  if (writesRowsAs === 'geojson')
    return { path: await writeText(path, asGeoJson(request), signal), format: name }
  if (writesRowsAs === 'geopackage')
    return {
      path: await writeGeoPackage(path, await openRejectTable(request, {}, signal), signal),
      format: name,
    }
  if (writtenByGdal === undefined) return plain(`Terrane cannot write ${name} files with additional columns`)
  const driver = await findWritingDriver(writtenByGdal)
  if (driver === undefined) return plain(`The GDAL of this server cannot write ${name}`)
  try {
    return { path: await writeOther(request, writtenByGdal, driver, signal), format: name }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return plain(error.message)
  }
}

/**
 * Writes the rejected rows of a task in the format of their source, or in another format with the reason. If
 * it throws, no file is left.
 */
export async function writeRejects(request: RejectFileRequest, signal: AbortSignal): Promise<RejectFile> {
  await mkdir(request.folder, { recursive: true, mode: 0o750 })
  try {
    const format = formats.find(({ name }) => name === request.format)
    const written = await writeIn(request, format, signal)
    return { ...written, sizeBytes: (await stat(written.path)).size }
  } catch (error) {
    await rm(request.folder, { recursive: true, force: true })
    throw error
  }
}
