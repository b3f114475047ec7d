import { Readable } from 'node:stream'
import type { LayerRecord } from '../../catalog/index.ts'
import { without } from '../../core/values/defined.ts'
import type { FeaturePageRequest, PagePart, ServedStore } from '../../stores/index.ts'
import type { FastifyReply } from '../app-types.ts'
import type { CachedCounts } from './cached-counts.ts'

/** A client that takes nothing for this long has gone. */
const stallMs = 60_000
/** Time limit of a response: it holds a snapshot of its store. */
const longestMs = 60 * 60_000

/** Reduces the columns read to those needed for the response. */
function withNeededColumns(request: FeaturePageRequest): FeaturePageRequest {
  const { selection, columns, fileLink, query } = request
  if (selection === undefined) return request
  const own = new Map(Object.entries(columns?.names ?? {}).map(([name, shown]) => [shown, name]))
  const attributes = [
    ...selection.attributes.map((name) => own.get(name) ?? name),
    ...(query.sort ?? []).map(({ attribute }) => attribute),
    ...(columns === undefined ? [] : [columns.id]),
    ...(fileLink === undefined ? [] : [fileLink.attribute]),
  ]
  return { ...request, query: { ...query, attributes, withGeometry: selection.hasGeometry } }
}

/** Source of a page: a layer with its store, and its cached counts. */
export interface FeaturePageSource {
  layer: LayerRecord
  store: ServedStore
  counts: CachedCounts
  /** Returns false if a load has replaced the table, or may replace it. */
  isSettled(): Promise<boolean>
}

/** A page whose first part has been read. */
export interface OpenedPage {
  first: PagePart
  /** The other parts. The caller must read them to the end, or call `return()`. */
  parts: AsyncIterator<PagePart>
  /** True if it is of the layer's version before the read. */
  isSure: boolean
}

/**
 * Opens a page; matches whose number is cached are not counted again. If a load commits meanwhile, the number
 * of matches and the features may be of two versions: then reads again.
 */
export async function openPage(
  { layer, store, counts, isSettled }: FeaturePageSource,
  request: FeaturePageRequest,
  signal: AbortSignal,
): Promise<OpenedPage> {
  const open = async (one: FeaturePageRequest, isSure: boolean): Promise<OpenedPage> => {
    const parts = store.writePage(one, signal)[Symbol.asyncIterator]()
    return { first: partOf(await parts.next()), parts, isSure }
  }
  const key = await counts.keyOf(store, layer, request)
  const reduced = withNeededColumns({ ...request, numberMatched: counts.find(key) ?? request.numberMatched })
  const page = await open(reduced, true)
  if (await isSettled()) {
    counts.keep(key, page.first.numberMatched)
    return page
  }
  await page.parts.return?.()
  return open({ ...without(reduced, 'numberMatched'), isChanging: true }, false)
}

function partOf(result: IteratorResult<PagePart, unknown>): PagePart {
  if (result.done === true) throw new Error('A page ended without its last part')
  return result.value
}

/** After the last part only the iterator's end remains, which releases its resources. */
export function finish(parts: AsyncIterator<PagePart>): void {
  parts.next().catch(() => undefined)
}

/** Streams a response. */
export function sendBytes(reply: FastifyReply, bytes: AsyncIterable<Uint8Array>): FastifyReply {
  return reply.send(watchStalls(reply, Readable.from(bytes, { objectMode: false })))
}

/**
 * Closes a connection whose client stops reading or reads too slowly, so that no resources are held for it.
 */
function watchStalls(reply: FastifyReply, stream: Readable): Readable {
  const timer = setTimeout(() => reply.raw.destroy(), stallMs)
  const end = setTimeout(() => reply.raw.destroy(), longestMs)
  stream.on('data', () => timer.refresh())
  stream.once('close', () => {
    clearTimeout(timer)
    clearTimeout(end)
  })
  return stream.pause()
}

/**
 * Concatenates bytes and releases those of the part at once: bytes from another thread are otherwise retained
 * until a full collection of the main thread, which 64 MB of them trigger. Bytes from another process are
 * views of its channel's buffer, which holds unread data too: these are not released.
 */
export function joined(bytes: Uint8Array[], part: PagePart): Buffer {
  const copy = Buffer.concat(bytes)
  const { buffer, byteLength } = part.bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
  return copy
}

/** Text around the parts of a page. */
export interface PageFrame {
  head: Uint8Array
  tailOf(last: PagePart): Uint8Array
}

/** Sends a page within its frame; streams it if it has several parts. */
export function sendPage(reply: FastifyReply, page: OpenedPage, frame: PageFrame): FastifyReply {
  const { first, parts } = page
  if (!first.isLast) return sendBytes(reply, documentBytes(page, frame))
  finish(parts)
  return reply.send(joined([frame.head, first.bytes, frame.tailOf(first)], first))
}

/** Yields the document of a page, part by part. */
export async function* documentBytes(
  { first, parts }: OpenedPage,
  { head, tailOf }: PageFrame,
): AsyncGenerator<Uint8Array> {
  let part = first
  try {
    yield joined([head, part.bytes], part)
    while (!part.isLast) {
      part = partOf(await parts.next())
      if (part.bytes.length > 0) yield joined([part.bytes], part)
    }
    yield tailOf(part)
  } finally {
    await parts.return?.()
  }
}
