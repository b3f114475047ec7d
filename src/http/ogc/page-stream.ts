import type { Readable } from 'node:stream'
import { without } from '../../lib/defined.ts'
import type { FeaturePageRequest, PagePart } from '../../stores/reading/feature-page-request.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import type { FastifyReply } from '../app-types.ts'

/** A client that takes nothing for this long has gone. */
const stallMs = 60_000
/** Time limit of a response: it holds a snapshot of its store. */
const longestMs = 60 * 60_000

/** Reduces the columns read to those needed for the response. */
export function readingLess(wish: FeaturePageRequest): FeaturePageRequest {
  const { selection, columns, fileLink, query } = wish
  if (selection === undefined) return wish
  const own = new Map(Object.entries(columns?.names ?? {}).map(([name, shown]) => [shown, name]))
  const attributes = [
    ...selection.attributes.map((name) => own.get(name) ?? name),
    ...(query.sort ?? []).map(({ attribute }) => attribute),
    ...(columns === undefined ? [] : [columns.id]),
    ...(fileLink === undefined ? [] : [fileLink.attribute]),
  ]
  return { ...wish, query: { ...query, attributes, withGeometry: selection.hasGeometry } }
}

interface OpenedPage {
  written: AsyncIterator<PagePart>
  first: PagePart
  /** True if it is of the layer's version before the read. */
  isSure: boolean
}

/**
 * If a load commits meanwhile, the number of matches and the features may be of two versions: then reads
 * again.
 */
export async function openPage(
  store: ServedStore,
  wish: FeaturePageRequest,
  isSettled: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<OpenedPage> {
  const open = async (one: FeaturePageRequest, isSure: boolean): Promise<OpenedPage> => {
    const written = store.writePage(one, signal)[Symbol.asyncIterator]()
    return { written, first: partOf(await written.next()), isSure }
  }
  const page = await open(wish, true)
  if (await isSettled()) return page
  await page.written.return?.()
  return open({ ...without(wish, 'numberMatched'), isChanging: true }, false)
}

function partOf(result: IteratorResult<PagePart, unknown>): PagePart {
  if (result.done === true) throw new Error('A page ended without its last part')
  return result.value
}

/** After the last part only the iterator's end remains, which releases its resources. */
export function finish(parts: AsyncIterator<PagePart>): void {
  parts.next().catch(() => undefined)
}

/**
 * Closes a connection whose client stops reading or reads too slowly, so that no resources are held for it.
 */
export function watchStalls(reply: FastifyReply, stream: Readable): Readable {
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

/** A whole document, as its parts come. */
export async function* documentBytes(
  first: PagePart,
  parts: AsyncIterator<PagePart>,
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
