import { Readable } from 'node:stream'
import type { PagePart } from '../../../stores/reading/feature-page-request.ts'
import { finish, joined, watchStalls } from '../../ogc/page-stream.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { CollectionAbout } from './collection-frame.ts'
import { collectionRoot, jsonFrame } from './collection-frame.ts'
import type { FeatureOutput, FeatureReading, PageOutput } from './feature-readings.ts'
import { toPageRequest } from './feature-readings.ts'
import type { FeatureRequest } from './feature-request.ts'
import { mostFeatures, openCounted } from './open-counted.ts'
import { namespacesOf } from './service-links.ts'
import type { WfsRequest } from './wfs-deps.ts'

interface FeatureTypesPage {
  readings: readonly FeatureReading[]
  wanted: FeatureRequest
  output: FeatureOutput
  mediaType: string
}

/** Part of one query's result in the response. */
interface Slice {
  reading: FeatureReading
  matched: number
  offset: number
  limit: number
}

/**
 * Sends features of several types, one type after the other; COUNT and STARTINDEX apply to all of them
 * together.
 */
export async function sendSeveral(
  deps: OwsDeps,
  asked: WfsRequest,
  types: FeatureTypesPage,
): Promise<unknown> {
  const { output, mediaType, readings } = types
  if (output === 'csv')
    throw new OwsFailure(
      'InvalidParameterValue',
      'CSV has a place for one type: ask for each',
      'outputformat',
    )
  const slices = await slicesOf(deps, asked, types)
  const about: CollectionAbout = {
    timeStamp: deps.features.clock.now().toISOString(),
    numberMatched: slices.reduce((sum, { matched }) => sum + matched, 0),
    numberReturned: slices.reduce((sum, { limit }) => sum + limit, 0),
    next: undefined,
    previous: undefined,
  }
  asked.reply.header('content-type', mediaType)
  if (output === 'json') {
    const frame = jsonFrame(readings[0]?.wish.named, () => about)
    return sendBytes(asked, aroundJson(membersOf(deps, asked, slices, output), frame))
  }
  const namespaces = namespacesOf(
    asked,
    readings.map(({ layer }) => layer),
    output,
  )
  const head = Buffer.from(collectionRoot('wfs:FeatureCollection', about, namespaces))
  const bytes = aroundGml(deps, asked, slices, { output, head, timeStamp: about.timeStamp })
  return sendBytes(asked, bytes)
}

function sendBytes({ reply }: WfsRequest, bytes: AsyncIterable<Uint8Array>): unknown {
  return reply.send(watchStalls(reply, Readable.from(bytes, { objectMode: false })))
}

async function slicesOf(deps: OwsDeps, asked: WfsRequest, types: FeatureTypesPage): Promise<Slice[]> {
  const { readings, wanted, output } = types
  let [skip, left] = [wanted.startIndex, Math.min(wanted.count ?? mostFeatures, mostFeatures)]
  const slices: Slice[] = []
  for (const reading of readings) {
    const matched = await countOf(deps, asked, reading, output)
    const offset = Math.min(skip, matched)
    const limit = Math.min(left, matched - offset)
    skip -= offset
    left -= limit
    slices.push({ reading, matched, offset, limit })
  }
  return slices
}

/** Returns the number of features that match a query. */
export async function countOf(
  deps: OwsDeps,
  asked: WfsRequest,
  reading: FeatureReading,
  output: PageOutput,
): Promise<number> {
  const wish = toPageRequest(asked, reading, { output, limit: 0, offset: 0 })
  const { first, written } = await openCounted(deps, asked, reading, wish)
  finish(written)
  return first.numberMatched
}

/** The members of a slice, part by part. */
async function* partsOf(
  deps: OwsDeps,
  asked: WfsRequest,
  { reading, offset, limit }: Slice,
  output: PageOutput,
): AsyncGenerator<PagePart> {
  if (limit === 0) return
  const wish = toPageRequest(asked, reading, { output, limit, offset })
  const { first, written } = await openCounted(deps, asked, reading, wish)
  try {
    yield first
    for (let part = first; !part.isLast; ) {
      const next = await written.next()
      if (next.done === true) throw new Error('A page ended without its last part')
      part = next.value
      yield part
    }
  } finally {
    await written.return?.()
  }
}

async function* membersOf(
  deps: OwsDeps,
  asked: WfsRequest,
  slices: readonly Slice[],
  output: PageOutput,
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for (const slice of slices) {
    let isBegun = false
    for await (const part of partsOf(deps, asked, slice, output)) {
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
  deps: OwsDeps,
  asked: WfsRequest,
  slices: readonly Slice[],
  { output, head, timeStamp }: { output: 'gml31' | 'gml32'; head: Uint8Array; timeStamp: string },
): AsyncGenerator<Uint8Array> {
  yield head
  for (const slice of slices) {
    const numbers = `timeStamp="${timeStamp}" numberMatched="${slice.matched}" numberReturned="${slice.limit}"`
    if (output === 'gml32') yield Buffer.from(`<wfs:member><wfs:FeatureCollection ${numbers}>\n`)
    yield* membersOf(deps, asked, [slice], output)
    if (output === 'gml32') yield Buffer.from('</wfs:FeatureCollection></wfs:member>\n')
  }
  yield Buffer.from('</wfs:FeatureCollection>\n')
}
