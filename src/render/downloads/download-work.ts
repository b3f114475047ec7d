import { randomUUID } from 'node:crypto'
import { createWriteStream, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../core/errors/errors.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import { GeoParquetWriter, type WrittenFormatName, writtenFormats } from '../../formats/writing/index.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { featureToJson } from '../../geo/feature-json.ts'
import type { FeaturePage } from '../../stores/index.ts'
import { openVectorStore, ownStores } from '../../stores/registry.ts'
import { commitLoad } from '../../stores/worker.ts'
import type { MetadataCopyRequest } from './copy-metadata.ts'
import { copyWithMetadata } from './copy-metadata.ts'
import { fileRows, fileSchema } from './file-rows.ts'
import type { ColumnTitle } from './metadata-in-geopackage.ts'
import { tellTitlesInGeoPackage, writeMetadataToGeoPackage } from './metadata-in-geopackage.ts'
import type { RowExportRequest, RowsWritten } from './row-export-request.ts'
import type { FileTerms } from './terms.ts'
import { termMembers } from './terms.ts'

/** Disk space that must remain free, in bytes. */
const spareBytes = 256 << 20

async function write(
  request: RowExportRequest,
  { signal, notify }: CallContext<number>,
): Promise<RowsWritten> {
  const counts: RowsWritten = {
    rows: 0,
    withoutGeometry: 0,
    typeCodes: [],
    cutTexts: {},
    lostValues: {},
    numbers: {},
    unplaced: 0,
    refused: {},
    renamed: {},
  }
  const store = openVectorStore(request.connection, { isGuarded: true })
  try {
    const pages = watched(fileRows(store, request, counts, signal), request, notify)
    if (request.as === undefined) await writeGeoPackage(request, pages, counts, signal)
    else if (request.as === 'parquet') await writeParquet(request, pages)
    else await writeTexts(request.path, textsOf(request.as, request, pages), signal)
    return counts
  } finally {
    await store.close()
  }
}

/** Reports the number of rows read, and stops if the disk is full. */
async function* watched(
  pages: AsyncIterable<FeaturePage>,
  { path, roomBytes }: RowExportRequest,
  notify: (rows: number) => void,
): AsyncGenerator<FeaturePage> {
  let rows = 0
  for await (const page of pages) {
    rows += page.batch.rowCount
    notify(rows)
    const { bsize, bavail } = statfsSync(dirname(path))
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (bsize * bavail < spareBytes || size > roomBytes)
      throw new Failure('unavailable', 'downloads-full', 'There is no disk space for the file: request less')
    if (page.batch.rowCount > 0) yield page
  }
}

async function writeGeoPackage(
  request: RowExportRequest,
  pages: AsyncIterable<FeaturePage>,
  counts: RowsWritten,
  signal: AbortSignal,
): Promise<void> {
  const { path, name: table } = request
  const target = openVectorStore({ type: ownStores.file.type, parameters: { path } })
  const onReject = (_: FeatureBatch, _row: number, { reason }: { reason: string }): void => {
    counts.refused[reason] = (counts.refused[reason] ?? 0) + 1
  }
  try {
    const load = {
      loadId: randomUUID(),
      mode: 'CREATE' as const,
      table,
      schema: fileSchema(request),
      indexes: [],
    }
    const staged = await target.stage(load, batchesOf(pages), {
      signal,
      onReject,
      onMessage: () => undefined,
    })
    const { renamed } = await commitLoad(staged, async () => undefined)
    counts.renamed = renamed
  } finally {
    await target.close()
  }
  makeWhole(path, request.terms, titlesOf(request, counts.renamed))
}

/** Titles of columns, by their names in the file. */
function titlesOf({ columns }: RowExportRequest, renamed: Record<string, string>): ColumnTitle[] {
  return columns.flatMap(({ attribute: { name, title } }) =>
    title === undefined ? [] : [{ column: ownValue(renamed, name) ?? name, title }],
  )
}

async function* batchesOf(pages: AsyncIterable<FeaturePage>): AsyncGenerator<FeatureBatch> {
  for await (const { batch } of pages) yield batch
}

/** Moves the log into the file, so that programs without write access can read the file. */
function makeWhole(path: string, terms: FileTerms, titles: readonly ColumnTitle[]): void {
  const db = new DatabaseSync(path)
  try {
    writeMetadataToGeoPackage(db, terms)
    tellTitlesInGeoPackage(db, titles)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
  } finally {
    db.close()
  }
}

async function writeParquet(request: RowExportRequest, pages: AsyncIterable<FeaturePage>): Promise<void> {
  const writer = new GeoParquetWriter(request.path, fileSchema(request), {
    crs: request.projJson,
    keyValues: termMembers(request.terms) ?? {},
  })
  for await (const { batch } of pages) writer.add(batch)
  writer.finish()
}

async function writeTexts(
  path: string,
  texts: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await pipeline(Readable.from(texts, { objectMode: false }), createWriteStream(path, { mode: 0o600 }), {
    signal,
  })
}

function textsOf(
  text: 'geojson' | WrittenFormatName,
  request: RowExportRequest,
  pages: AsyncIterable<FeaturePage>,
): AsyncIterable<string | Uint8Array> {
  return text === 'geojson' ? geoJsonTexts(request, pages) : writtenTexts(text, request, pages)
}

async function* writtenTexts(
  name: WrittenFormatName,
  request: RowExportRequest,
  pages: AsyncIterable<FeaturePage>,
): AsyncGenerator<string | Uint8Array> {
  const format = await writtenFormats[name].load()
  const schema = fileSchema(request)
  const about = { name: request.name, title: request.name, collection: '', schema }
  const writer = format.open(about, schema)
  let numberReturned = 0
  for await (const { batch, ids } of pages) {
    for (let row = 0; row < batch.rowCount; row += 1) writer.add(batch, row, ids[row] ?? '')
    numberReturned += batch.rowCount
    yield writer.take()
  }
  yield writer.take()
  yield format.end(about, { numberReturned, timeStamp: new Date().toISOString() })
}

async function* geoJsonTexts(
  { name, namedSrs, terms }: RowExportRequest,
  pages: AsyncIterable<FeaturePage>,
): AsyncGenerator<string> {
  const crs = namedSrs === undefined ? '' : `"crs":${JSON.stringify(crsMember(namedSrs))},`
  const members = termMembers(terms)
  const reported = members === undefined ? '' : `${JSON.stringify(members).slice(1, -1)},`
  yield `{"type":"FeatureCollection","name":${JSON.stringify(name)},${crs}${reported}"features":[`
  let comma = '\n'
  for await (const { batch, ids } of pages) {
    let text = ''
    for (let row = 0; row < batch.rowCount; row += 1) {
      text += comma + featureToJson(batch, row, ids[row] ?? '', { isYx: false })
      comma = ',\n'
    }
    yield text
  }
  yield '\n]}\n'
}

/** `crs` member of GeoJSON 2008, section 3.1, with x or easting first. */
function crsMember(srs: string): object {
  const [authority, code] = srs.split(':')
  return { type: 'name', properties: { name: `urn:ogc:def:crs:${authority}::${code}` } }
}

const handlers = {
  write,
  copyWithMetadata: (request: MetadataCopyRequest, { signal }: CallContext<never>): Promise<void> =>
    copyWithMetadata(request, signal),
}
export type DownloadHandlers = typeof handlers

serveWork(handlers)
