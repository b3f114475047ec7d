import { basename } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import { ownCpuTime } from '../../core/time/cpu-time.ts'
import { Stopwatch } from '../../core/time/stopwatch.ts'
import { defined } from '../../core/values/defined.ts'
import {
  type FeatureFormat,
  type FeatureWriter,
  loadWritten,
  type WrittenAbout,
} from '../../formats/writing/index.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { featureTag, featureToJson } from '../../geo/feature-json.ts'
import { reprojectBatch } from '../../geo/reproject-geometry.ts'
import { attributeIndex } from '../../geo/schema.ts'
import { fileMediaType } from '../rasters/media-type.ts'
import { getStoreDescription } from '../registry.ts'
import type { FeaturePage, FeatureQuery, VectorStore } from '../store.ts'
import { explainSlowness, queryMs, tookTooLong } from '../too-slow.ts'
import { areasIn } from './boxes-in-crs.ts'
import { briefFeature } from './brief-feature.ts'
import type { FeaturePageRequest, FileLink, PagePart, WrittenForm } from './feature-page-request.ts'
import { filterIn } from './filter-in-crs.ts'
import { PageRows, withNextRow } from './page-rows.ts'
import { findReprojector } from './reprojectors.ts'
import { readRowsAtPoint } from './rows-at-point.ts'
import { shownPage } from './shown-columns.ts'

/** Approximate number of characters per part. */
const partLength = 128 * 1024
const encoder = new TextEncoder()

/** Counts, reads, transforms and writes a page of features, part by part, on demand. */
export async function* writePage(
  store: VectorStore,
  request: FeaturePageRequest,
  signal: AbortSignal,
): AsyncGenerator<PagePart> {
  const query = await queryOf(request)
  const { numberMatched, pages } = await openInTime(store, request, withNextRow(query), signal)
  const rows = new PageRows(query)
  const reprojector = request.crs === undefined ? undefined : await findReprojector(request.crs, request.srs)
  const page = request.form === undefined ? new PageText(request) : await openForm(request.form)
  try {
    for await (const read of rows.pages(pages)) {
      const { batch, ids } = request.columns === undefined ? read : shownPage(read, request.columns)
      const shown = await reprojectBatch(selected(batch, request), reprojector)
      for (let row = 0; row < shown.rowCount; row += 1) {
        page.add(shown, row, ids[row] ?? '')
        if (request.wantsTag === true) page.tag = featureTag(read.batch, row, ids[row] ?? '')
        if (page.waiting >= partLength) yield page.take(numberMatched, false)
      }
    }
    yield { ...page.take(numberMatched, true), ...defined({ ends: rows.ends }) }
  } finally {
    await reprojector?.close()
  }
}

/** Returns the shown properties of a batch, and those that links are built from. */
function selected(batch: FeatureBatch, { selection, fileLink }: FeaturePageRequest): FeatureBatch {
  if (selection === undefined) return batch
  const names = new Set([...selection.attributes, ...(fileLink === undefined ? [] : [fileLink.attribute])])
  const isShown = batch.schema.attributes.map(({ name }) => names.has(name))
  const only = <Item>(items: Item[]): Item[] => items.filter((_, index) => isShown[index])
  const { geometry } = batch.schema
  return {
    ...batch,
    schema: {
      attributes: only(batch.schema.attributes),
      geometry: selection.hasGeometry ? geometry : undefined,
    },
    columns: only(batch.columns),
    geometry: selection.hasGeometry ? batch.geometry : undefined,
  }
}

interface Opened {
  numberMatched: number
  pages: AsyncIterable<FeaturePage>
}

/**
 * Counts matches and finds the first rows within a time limit, so that a query cannot block a store
 * indefinitely.
 */
async function openInTime(
  store: VectorStore,
  request: FeaturePageRequest,
  query: FeatureQuery,
  signal: AbortSignal,
): Promise<Opened> {
  const limit = new AbortController()
  // For a file the CPU time of this thread is limited, for a database the elapsed time.
  const isFile = getStoreDescription(store.type).file !== undefined
  const stopwatch = new Stopwatch({
    limitMs: queryMs,
    cpuMs: () => (isFile ? ownCpuTime() : undefined),
    onOver: () => limit.abort(tookTooLong()),
  })
  stopwatch.reset(isFile ? ownCpuTime() : undefined)
  stopwatch.run()
  try {
    const either = AbortSignal.any([signal, limit.signal])
    const { numberMatched, pages } = await openPages(store, request, query, either)
    const reading = pages[Symbol.asyncIterator]()
    return { numberMatched, pages: begun(await reading.next(), reading) }
  } catch (error) {
    const isSlow = limit.signal.aborted || (error instanceof Failure && error.code === 'too-slow')
    throw isSlow && !signal.aborted ? await explainSlowness(store, query) : error
  } finally {
    stopwatch.stop()
  }
}

const maxTries = 10

/** Returns the rows and the number of matches, both from one snapshot. */
async function openPages(
  store: VectorStore,
  request: FeaturePageRequest,
  query: FeatureQuery,
  signal: AbortSignal,
): Promise<Opened> {
  const { numberMatched: known, isChanging = false, point } = request
  if (point !== undefined)
    return { numberMatched: known ?? 0, pages: readRowsAtPoint(store, request, { query, point }, signal) }
  const count = (): Promise<number> => store.count(query, signal)
  if (!isChanging)
    return { numberMatched: known ?? (await count()), pages: store.readFeatures(query, signal) }
  for (let tries = 1; ; tries += 1) {
    const before = await count()
    const pages = store.readFeatures(query, signal)[Symbol.asyncIterator]()
    const first = await pages.next()
    const numberMatched = await count()
    if (numberMatched === before || tries === maxTries) return { numberMatched, pages: begun(first, pages) }
    await pages.return?.()
  }
}

async function* begun(
  first: IteratorResult<FeaturePage>,
  pages: AsyncIterator<FeaturePage>,
): AsyncGenerator<FeaturePage> {
  try {
    for (let page = first; page.done !== true; page = await pages.next()) yield page.value
  } finally {
    await pages.return?.()
  }
}

/** A page while it is written. */
interface WrittenPage {
  tag: string | undefined
  /** Approximate number of bytes that were not taken yet. */
  readonly waiting: number
  add(batch: FeatureBatch, row: number, id: string): void
  take(numberMatched: number, isLast: boolean): PagePart
}

class PageText implements WrittenPage {
  text = ''
  tag: string | undefined
  #numberReturned = 0
  readonly #request: FeaturePageRequest

  constructor(request: FeaturePageRequest) {
    this.#request = request
  }

  get waiting(): number {
    return this.text.length
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const { fileLink } = this.#request
    const feature =
      fileLink === undefined
        ? featureToJson(batch, row, id, this.#request)
        : linkedFeature(batch, row, id, { ...fileLink, isYx: this.#request.isYx })
    const text = this.#request.isBrief === true ? briefFeature(feature) : feature
    this.text += this.#numberReturned === 0 ? text : `,${text}`
    this.#numberReturned += 1
  }

  take(numberMatched: number, isLast: boolean): PagePart {
    const bytes = encoder.encode(this.text)
    this.text = ''
    const { tag } = this
    return { bytes, numberMatched, numberReturned: this.#numberReturned, isLast, tag }
  }
}

async function openForm({ name, about }: WrittenForm): Promise<FormPage> {
  return new FormPage(await loadWritten(name), about)
}

/** Writes a page in another format than GeoJSON. */
class FormPage implements WrittenPage {
  tag: string | undefined
  #numberReturned = 0
  #writer: FeatureWriter | undefined
  readonly #format: FeatureFormat
  readonly #about: WrittenAbout

  constructor(format: FeatureFormat, about: WrittenAbout) {
    this.#format = format
    this.#about = about
  }

  get waiting(): number {
    return this.#writer?.waiting ?? 0
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    this.#writer ??= this.#format.open(this.#about, batch.schema)
    this.#writer.add(batch, row, id)
    this.#numberReturned += 1
  }

  take(numberMatched: number, isLast: boolean): PagePart {
    this.#writer ??= this.#format.open(this.#about, this.#about.schema)
    const { tag } = this
    const counts = { numberMatched, numberReturned: this.#numberReturned }
    return { bytes: this.#writer.take(), ...counts, isLast, tag }
  }
}

/** Returns the query in the CRS of the table. */
export async function queryOf({ query, box, filter, crs }: FeaturePageRequest): Promise<FeatureQuery> {
  return {
    ...query,
    bboxes: box === undefined ? undefined : await areasIn(box, crs),
    filter: filter === undefined ? undefined : await filterIn(filter, crs),
  }
}

function linkedFeature(
  batch: FeatureBatch,
  row: number,
  id: string,
  { attribute, base, isYx }: FileLink & { isYx: boolean },
): string {
  const hidden = attributeIndex(batch.schema, attribute)
  const column = batch.columns[hidden]
  const path = column === undefined ? '' : String(columnValue(column, row))
  const name = basename(path)
  const href = `${base}/${encodeURIComponent(id)}/file/${encodeURIComponent(name)}`
  const links = [{ rel: 'enclosure', type: fileMediaType(path), title: name, href }]
  const text = featureToJson(withoutColumn(batch, hidden), row, id, { isYx })
  return `${text.slice(0, -1)},"links":${JSON.stringify(links)}}`
}

function withoutColumn(batch: FeatureBatch, hidden: number): FeatureBatch {
  const isShown = (_: unknown, index: number) => index !== hidden
  const attributes = batch.schema.attributes.filter(isShown)
  return { ...batch, schema: { ...batch.schema, attributes }, columns: batch.columns.filter(isShown) }
}
