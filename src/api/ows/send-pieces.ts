import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { LayerSummary } from '../../catalog/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { OwsCatalog } from './ows-deps.ts'

/** Letters that are sent together. */
const chunkLength = 65_536
/** Longest time for which a long document blocks other requests. */
const turnMs = 4

/** Returns the layers that the caller may read, by name, of one workspace if one is named. */
export async function readableSummaries(
  catalog: OwsCatalog,
  { request, workspace }: { request: FastifyRequest; workspace: string | undefined },
): Promise<readonly LayerSummary[]> {
  const set = (await catalog.cards.now()).readableBy(await request.rights())
  const cards = set.ordered('name', false)
  return workspace === undefined ? cards : cards.filter((card) => card.workspace === workspace)
}

/**
 * Streams a document as it is written, without holding it in memory: slow clients do not block, and other
 * requests are processed in between. Throws errors that occur before the first bytes are sent.
 */
export async function sendPieces(
  reply: FastifyReply,
  contentType: string,
  pieces: AsyncIterable<string>,
): Promise<FastifyReply> {
  const chunks = inChunks(pieces)
  const first = await chunks.next()
  const second = first.done === true ? first : await chunks.next()
  reply.header('cache-control', 'private, no-cache').header('content-type', contentType)
  if (first.done === true) return reply.send('')
  if (second.done === true) return reply.send(first.value)
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield first.value
    yield second.value
    yield* chunks
  }
  return reply.send(Readable.from(whole(), { objectMode: false }))
}

async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = ''
  let turn = performance.now()
  for await (const piece of pieces) {
    text += piece
    if (text.length >= chunkLength) {
      yield Buffer.from(text)
      text = ''
    }
    if (performance.now() - turn < turnMs) continue
    await setImmediate()
    turn = performance.now()
  }
  if (text !== '') yield Buffer.from(text)
}
