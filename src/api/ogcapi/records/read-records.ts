import { createHash } from 'node:crypto'
import type { Catalog, LayerRecord, LayerSummary, SummarySet } from '../../../catalog/index.ts'
import { Failure, notFound } from '../../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { keepPrivately, ownMaxAgeSeconds } from '../../caching.ts'
import { entityTags } from '../../etag.ts'
import type { CachingSettings } from '../../tiles/caching.ts'
import { variantOf } from '../representations.ts'
import type { RecordTimes } from './record-times.ts'

/** Number of records read in one iteration of the event loop. */
const atOnce = 100

/** Returns the layers that the caller may see, without their records. */
export async function knownSummaries(catalog: Catalog, request: FastifyRequest): Promise<SummarySet> {
  return (await catalog.cards.now()).readableBy(await request.rights())
}

/** The documents of layers in the order of their cards, some at a time; layers that were deleted or hidden meanwhile are omitted. */
export async function* readLayers(
  catalog: Catalog,
  request: FastifyRequest,
  cards: readonly LayerSummary[],
): AsyncGenerator<LayerRecord[]> {
  const rights = await request.rights()
  for (let at = 0; at < cards.length; at += atOnce) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve))
    const requested = cards.slice(at, at + atOnce).map(({ id }) => id)
    const found = await catalog.layers.findByIds(requested)
    const shown = rights.readable(found)
    const byId = new Map(shown.map((layer) => [layer.id, layer]))
    yield requested.flatMap((id) => byId.get(id) ?? [])
  }
}

/** Returns the layer of a record; anonymous users cannot find out whether a private layer exists. */
export async function readableRecord(
  { layers }: Catalog,
  request: FastifyRequest<{ Params: { recordId: string } }>,
): Promise<LayerRecord> {
  const { recordId } = request.params
  const colon = Math.max(recordId.indexOf(':'), 0)
  const layer = await layers.find(recordId.slice(0, colon), recordId.slice(colon + 1))
  if (layer !== undefined && (await request.rights()).can('read', layer)) {
    request.usedLayer = layer
    return layer
  }
  if (request.caller.role !== 'anonymous')
    throw notFound('unknown-layer', `Record "${recordId}" does not exist`)
  throw new Failure(
    'unauthenticated',
    'login-required',
    'This record is not of a public layer: credentials are needed',
  )
}

/** A response with its inputs besides the layers: their times, which may be found late, and their number. */
interface Answer {
  request: FastifyRequest
  reply: FastifyReply
  times?: ReadonlyMap<number, RecordTimes>
  total?: number
}

/** Sets how long a response may be cached; returns true, with status 304, if the client has it already. */
export function isListKept(
  { version, sharedMaxAgeSeconds }: CachingSettings,
  set: SummarySet,
  { request, reply, times = new Map(), total }: Answer,
): boolean {
  if (request.caller.role === 'anonymous')
    reply.header('cache-control', `public, max-age=${ownMaxAgeSeconds}, s-maxage=${sharedMaxAgeSeconds}`)
  else keepPrivately(reply)
  const meaning = [
    version,
    ...variantOf(request),
    set.digest,
    [...set.openWorkspaces],
    [...times],
    total,
    request.link(request.url),
  ]
  const digest = createHash('sha256').update(JSON.stringify(meaning)).digest('base64url').slice(0, 22)
  reply.header('etag', `W/"${digest}"`)
  const requested = entityTags(request.headers['if-none-match'])
  if (!requested.includes(`"${digest}"`) && !requested.includes('*')) return false
  reply.code(304)
  return true
}
