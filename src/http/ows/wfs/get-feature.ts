import { Readable } from 'node:stream'
import type { PagePart } from '../../../stores/reading/page-wish.ts'
import { keepPrivately } from '../../caching.ts'
import type { PageFrame } from '../../ogc/page-stream.ts'
import { documentBytes, finish, joined, watchStalls } from '../../ogc/page-stream.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { OwsParts } from '../ows-parts.ts'
import type { CollectionAbout } from './collection-frame.ts'
import { collectionRoot, gmlFrame, jsonFrame, plainFrame } from './collection-frame.ts'
import type { FeatureRequest } from './feature-request.ts'
import { readFeatureRequest } from './kvp-feature-request.ts'
import { mostFeatures, openCounted } from './open-counted.ts'
import { readOutputFormat } from './output-formats.ts'
import type { PageStart } from './page-start.ts'
import { pageStart } from './page-start.ts'
import type { PageOutput, Reading } from './readings.ts'
import { pageWish, toReadings } from './readings.ts'
import { namespacesOf, pageUrl } from './service-links.ts'
import { countOf, sendSeveral } from './several-types.ts'
import { sendShapeZip } from './shape-zip.ts'
import { sendById, storedId } from './stored-queries.ts'
import type { WfsRequest } from './wfs-parts.ts'

/** Features of a type (OGC 09-025r2, section 11; 04-094, section 9). */
export async function getFeature(parts: OwsParts, asked: WfsRequest): Promise<unknown> {
  const id = storedId(asked)
  if (id !== undefined) return sendById(parts, asked, id, (wanted) => sendFeatures(parts, asked, wanted))
  return sendFeatures(parts, asked, asked.features ?? readFeatureRequest(asked.values))
}

/** The features that a request asks for. */
async function sendFeatures(parts: OwsParts, asked: WfsRequest, wanted: FeatureRequest): Promise<unknown> {
  const { name: output, mediaType } = readOutputFormat(wanted.outputFormat, asked.version)
  const readings = await toReadings(parts, asked, wanted)
  const [reading, ...others] = readings
  if (reading === undefined)
    throw new OwsFailure('MissingParameterValue', 'The parameter TYPENAMES is missing', 'typenames')
  keepPrivately(asked.reply)
  if (wanted.resultType === 'hits') return sendHits(parts, asked, readings)
  if (output === 'shape-zip' && others.length > 0)
    throw new OwsFailure('InvalidParameterValue', 'A Shapefile has one type: ask for each', 'outputformat')
  if (output === 'shape-zip') return sendShapeZip(parts, asked, reading, wanted)
  if (others.length > 0) return sendSeveral(parts, asked, { readings, wanted, output, mediaType })
  return sendPage(parts, asked, { reading, wanted, output, mediaType })
}

interface AskedFeatures {
  reading: Reading
  wanted: FeatureRequest
  output: PageOutput
  mediaType: string
}

async function sendPage(parts: OwsParts, asked: WfsRequest, features: AskedFeatures): Promise<unknown> {
  const { reply } = asked
  const { reading, wanted, output, mediaType } = features
  const limit = Math.min(wanted.count ?? mostFeatures, mostFeatures)
  const whole = pageWish(asked, reading, { output, limit, offset: wanted.startIndex })
  const start = await pageStart(parts, reading.layer, whole, wanted)
  const { first, written, isSure } = await openCounted(parts, asked, reading, start.wish)
  const frame = frameOf(asked, features, {
    first,
    isSure,
    start,
    limit,
    at: parts.features.clock.now().toISOString(),
  })
  reply.header('content-type', mediaType)
  if (first.isLast) {
    finish(written)
    return reply.send(joined([frame.head, first.bytes, frame.tailOf(first)], first))
  }
  const bytes = documentBytes(first, written, frame)
  return reply.send(watchStalls(reply, Readable.from(bytes, { objectMode: false })))
}

interface Opened {
  first: PagePart
  /** All of it is of one version of the layer. */
  isSure: boolean
  start: PageStart
  limit: number
  at: string
}

function frameOf(asked: WfsRequest, { reading, wanted, output }: AskedFeatures, opened: Opened): PageFrame {
  const { first, isSure, start } = opened
  const aboutOf = (last: PagePart): CollectionAbout => collectionAbout(asked, wanted, { ...opened, last })
  const frame =
    output === 'json'
      ? jsonFrame(reading.wish.named, aboutOf)
      : output === 'csv'
        ? plainFrame
        : gmlFrame(aboutOf(first), namespacesOf(asked, [reading.layer], output))
  return {
    head: frame.head,
    tailOf: (last) => {
      if (isSure) start.keepEnd(last)
      return frame.tailOf(last)
    },
  }
}

/** What is told of a page: of one that is not read to its end its numbers follow from how many match. */
function collectionAbout(
  asked: WfsRequest,
  { startIndex }: FeatureRequest,
  { last, at, limit, start }: Opened & { last: PagePart },
): CollectionAbout {
  const { numberMatched } = last
  const expected = Math.max(0, Math.min(limit, numberMatched - startIndex))
  const numberReturned = last.isLast ? last.numberReturned : expected
  const behind = startIndex + numberReturned
  // What was sent as XML has no address.
  const hasLinks = asked.features === undefined && numberReturned > 0
  const hasNext = hasLinks && (last.ends?.hasMore ?? behind < numberMatched)
  const before = Math.max(0, startIndex - limit)
  const next = { startIndex: behind, count: limit, position: start.tokenBehind(last, behind) }
  const previous = { startIndex: before, count: Math.min(limit, startIndex - before), position: undefined }
  return {
    ...{ timeStamp: at, numberMatched, numberReturned },
    next: hasNext ? pageUrl(asked, next) : undefined,
    previous: hasLinks && startIndex > 0 ? pageUrl(asked, previous) : undefined,
  }
}

/** How many features match, and none of them (OGC 09-025r2, section 7.6.3.6). */
async function sendHits(parts: OwsParts, asked: WfsRequest, readings: readonly Reading[]): Promise<unknown> {
  const { version, reply } = asked
  const output = version === '2.0.0' ? 'gml32' : 'gml31'
  let numberMatched = 0
  for (const reading of readings) numberMatched += await countOf(parts, asked, reading, output)
  const about: CollectionAbout = {
    timeStamp: parts.features.clock.now().toISOString(),
    ...{ numberMatched, numberReturned: version === '2.0.0' ? 0 : numberMatched },
    ...{ next: undefined, previous: undefined },
  }
  const layers = readings.map(({ layer }) => layer)
  const root = collectionRoot(about, namespacesOf(asked, layers, output))
  reply.header('content-type', 'text/xml; charset=utf-8')
  return reply.send(`${root}</wfs:FeatureCollection>\n`)
}
