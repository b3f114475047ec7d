import type { PagePart } from '../../../stores/index.ts'
import { joined, sendBytes } from '../../ogcapi/page-stream.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { CollectionAbout } from './collection-frame.ts'
import { collectionRoot, jsonFrame } from './collection-frame.ts'
import type { GmlOutput, LayerQuery, PageOutput } from './layer-query.ts'
import { toPageRequest } from './layer-query.ts'
import type { FeatureReads, OutputPage } from './send-page.ts'
import { countMatches, maxFeatures, openLayerPage } from './send-page.ts'
import { namespacesOf } from './service-links.ts'
import type { WfsRequest } from './wfs-request.ts'

/** Part of one query's result in the response. */
interface Slice {
  query: LayerQuery
  matched: number
  offset: number
  limit: number
}

/**
 * Sends features of several types, one type after the other; COUNT and STARTINDEX apply to all of them
 * together.
 */
export async function sendSeveral(
  reads: FeatureReads,
  wfsRequest: WfsRequest,
  queries: readonly LayerQuery[],
  page: OutputPage<GmlOutput | 'json' | 'csv'>,
): Promise<unknown> {
  const { output, mediaType } = page
  const { reply } = wfsRequest
  if (output === 'csv')
    throw new OwsFailure(
      'InvalidParameterValue',
      'CSV contains one feature type: request each type separately',
      'outputformat',
    )
  const slices = await planSlices(reads, wfsRequest, queries, page)
  const about: CollectionAbout = {
    timeStamp: reads.clock.now().toISOString(),
    lockId: wfsRequest.lockId,
    numberMatched: slices.reduce((sum, { matched }) => sum + matched, 0),
    numberReturned: slices.reduce((sum, { limit }) => sum + limit, 0),
    next: undefined,
    previous: undefined,
  }
  reply.header('content-type', mediaType)
  const read = (some: readonly Slice[]) => readMembers(reads, wfsRequest, some, output)
  if (output === 'json')
    return sendBytes(
      reply,
      aroundJson(
        read(slices),
        jsonFrame(queries[0]?.responseCrs, () => about),
      ),
    )
  const layers = queries.map(({ layer }) => layer)
  const namespaces = namespacesOf(wfsRequest, layers, output)
  const head = Buffer.from(collectionRoot('wfs:FeatureCollection', about, namespaces))
  return sendBytes(reply, aroundGml(slices, read, { output, head, timeStamp: about.timeStamp }))
}

async function planSlices(
  reads: FeatureReads,
  wfsRequest: WfsRequest,
  queries: readonly LayerQuery[],
  { count, startIndex, output }: OutputPage,
): Promise<Slice[]> {
  let [skip, left] = [startIndex, Math.min(count ?? maxFeatures, maxFeatures)]
  const slices: Slice[] = []
  for (const query of queries) {
    const matched = await countMatches(reads, wfsRequest, query, output)
    const offset = Math.min(skip, matched)
    const limit = Math.min(left, matched - offset)
    skip -= offset
    left -= limit
    slices.push({ query, matched, offset, limit })
  }
  return slices
}

async function* readSlice(
  reads: FeatureReads,
  wfsRequest: WfsRequest,
  { query, offset, limit }: Slice,
  output: PageOutput,
): AsyncGenerator<PagePart> {
  if (limit === 0) return
  const request = toPageRequest(wfsRequest, query, { output, limit, offset })
  const { first, parts } = await openLayerPage(reads, query.layer, request, wfsRequest.signal)
  try {
    yield first
    for (let part = first; !part.isLast; ) {
      const next = await parts.next()
      if (next.done === true) throw new Error('A page ended without its last part')
      part = next.value
      yield part
    }
  } finally {
    await parts.return?.()
  }
}

async function* readMembers(
  reads: FeatureReads,
  wfsRequest: WfsRequest,
  slices: readonly Slice[],
  output: PageOutput,
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for (const slice of slices) {
    let isBegun = false
    for await (const part of readSlice(reads, wfsRequest, slice, output)) {
      if (part.bytes.length === 0) continue
      const comma = output === 'json' && !isBegun && !isFirst ? ',' : ''
      isBegun = true
      isFirst = false
      yield joined([Buffer.from(comma), part.bytes], part)
    }
  }
}

async function* aroundJson(
  members: AsyncIterable<Uint8Array>,
  { head, tailOf }: ReturnType<typeof jsonFrame>,
): AsyncGenerator<Uint8Array> {
  yield head
  yield* members
  yield tailOf({ bytes: head, numberMatched: 0, numberReturned: 0, isLast: true })
}

/** In 2.0 the features of each type are a collection of their own (OGC 09-025r2, section 11.3.3). */
async function* aroundGml(
  slices: readonly Slice[],
  read: (slices: readonly Slice[]) => AsyncIterable<Uint8Array>,
  { output, head, timeStamp }: { output: GmlOutput; head: Uint8Array; timeStamp: string },
): AsyncGenerator<Uint8Array> {
  yield head
  for (const slice of slices) {
    const numbers = `timeStamp="${timeStamp}" numberMatched="${slice.matched}" numberReturned="${slice.limit}"`
    if (output === 'gml32') yield Buffer.from(`<wfs:member><wfs:FeatureCollection ${numbers}>\n`)
    yield* read([slice])
    if (output === 'gml32') yield Buffer.from('</wfs:FeatureCollection></wfs:member>\n')
  }
  yield Buffer.from('</wfs:FeatureCollection>\n')
}
