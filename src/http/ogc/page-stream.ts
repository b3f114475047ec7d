import type { Readable } from 'node:stream'
import { without } from '../../lib/defined.ts'
import type { PagePart, PageWish } from '../../stores/reading/page-wish.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import type { FastifyReply } from '../app-types.ts'

/** A client that takes nothing for this long has gone. */
const stallMs = 60_000
/** No answer is written for longer: it holds a state of its store. */
const longestMs = 60 * 60_000

/** Reads no more of each row than is shown of it, or needed to show it. */
export function readingLess(wish: PageWish): PageWish {
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
  /** Whether it is of the version that the layer had before. */
  isSure: boolean
}

/** Where a load of ours ends meanwhile, the number of matches and the features may be of two versions: then once more. */
export async function openPage(
  store: ServedStore,
  wish: PageWish,
  isSettled: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<OpenedPage> {
  const open = async (one: PageWish, isSure: boolean): Promise<OpenedPage> => {
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

/** After the last part the iterator has only its end to tell, which sets free what it holds. */
export function finish(parts: AsyncIterator<PagePart>): void {
  parts.next().catch(() => undefined)
}

/** Cuts a connection whose client takes nothing more, or takes it too slowly, so that nothing is held for it. */
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
 * Copies bytes together and sets those of the part free at once: what comes from another thread is otherwise kept until
 * a full collection of the main thread, which 64 MB of it bring about. What comes from another process lies in the buffer
 * of its channel, beside what was not read from it yet: that stays.
 */
export function joined(bytes: Uint8Array[], part: PagePart): Buffer {
  const copy = Buffer.concat(bytes)
  const { buffer, byteLength } = part.bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
  return copy
}

/** What stands around the parts of a page. */
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
