import { Readable } from 'node:stream'
import type { PagePart } from '../../../stores/reading/feature-page-request.ts'
import type { PageFrame } from '../../ogc/page-stream.ts'
import { documentBytes, finish, joined, watchStalls } from '../../ogc/page-stream.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { CollectionAbout, CollectionElement } from './collection-frame.ts'
import { collectionRoot, gmlFrame, jsonFrame, plainFrame } from './collection-frame.ts'
import type { FeatureReading, PageOutput } from './feature-readings.ts'
import { toPageRequest } from './feature-readings.ts'
import type { FeatureRequest } from './feature-request.ts'
import { mostFeatures, openCounted } from './open-counted.ts'
import type { PageStart } from './page-start.ts'
import { pageStart } from './page-start.ts'
import { namespacesOf, pageUrl, resultsUrl } from './service-links.ts'
import { countOf } from './several-types.ts'
import type { WfsRequest } from './wfs-deps.ts'

/** Content of a page. */
export interface FeaturePageOutput {
  reading: FeatureReading
  wanted: FeatureRequest
  output: PageOutput
  mediaType: string
}

/** Sends one page of one type, as its store writes it. */
export async function sendPage(
  deps: OwsDeps,
  asked: WfsRequest,
  features: FeaturePageOutput,
): Promise<unknown> {
  const { reply } = asked
  const { reading, wanted, output, mediaType } = features
  const limit = Math.min(wanted.count ?? mostFeatures, mostFeatures)
  const whole = toPageRequest(asked, reading, { output, limit, offset: wanted.startIndex })
  const start = await pageStart(deps, reading.layer, whole, wanted)
  const { first, written, isSure } = await openCounted(deps, asked, reading, start.wish)
  const frame = frameOf(asked, features, {
    first,
    isSure,
    start,
    limit,
    at: deps.features.clock.now().toISOString(),
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
  /** True if all of it is of one version of the layer. */
  isSure: boolean
  start: PageStart
  limit: number
  at: string
}

function frameOf(
  asked: WfsRequest,
  { reading, wanted, output }: FeaturePageOutput,
  opened: Opened,
): PageFrame {
  const { first, isSure, start } = opened
  const aboutOf = (last: PagePart): CollectionAbout => collectionAbout(asked, wanted, { ...opened, last })
  const frame =
    output === 'json'
      ? jsonFrame(reading.wish.named, aboutOf)
      : output === 'csv'
        ? plainFrame
        : gmlFrame(elementOf(output), aboutOf(first), namespacesOf(asked, [reading.layer], gmlOf(output)))
  return {
    head: frame.head,
    tailOf: (last) => {
      if (isSure) start.keepEnd(last)
      return frame.tailOf(last)
    },
  }
}

/**
 * Returns the attributes of a page; for a page that is not read to its end the numbers follow from the number
 * of matches.
 */
function collectionAbout(
  asked: WfsRequest,
  { startIndex }: FeatureRequest,
  { last, at, limit, start }: Opened & { last: PagePart },
): CollectionAbout {
  const { numberMatched } = last
  const expected = Math.max(0, Math.min(limit, numberMatched - startIndex))
  const numberReturned = last.isLast ? last.numberReturned : expected
  const behind = startIndex + numberReturned
  // An XML request has no URL.
  const hasLinks = asked.features === undefined && numberReturned > 0
  const hasNext = hasLinks && (last.ends?.hasMore ?? behind < numberMatched)
  const before = Math.max(0, startIndex - limit)
  const next = { startIndex: behind, count: limit, position: start.tokenBehind(last, behind) }
  const previous = { startIndex: before, count: Math.min(limit, startIndex - before), position: undefined }
  return {
    timeStamp: at,
    numberMatched,
    numberReturned,
    next: hasNext ? pageUrl(asked, next) : undefined,
    previous: hasLinks && startIndex > 0 ? pageUrl(asked, previous) : undefined,
  }
}

function elementOf(output: PageOutput): CollectionElement {
  return output === 'values' ? 'wfs:ValueCollection' : 'wfs:FeatureCollection'
}

function gmlOf(output: 'gml32' | 'gml31' | 'values'): 'gml32' | 'gml31' {
  return output === 'gml31' ? output : 'gml32'
}

/**
 * Sends the number of matching features without the features, with the URL of the first page (OGC 09-025r2,
 * sections 7.6.3.6, 7.7.4.2).
 */
export async function sendHits(
  deps: OwsDeps,
  asked: WfsRequest,
  readings: readonly FeatureReading[],
  output: 'gml32' | 'gml31' | 'values',
): Promise<unknown> {
  let numberMatched = 0
  for (const reading of readings) numberMatched += await countOf(deps, asked, reading, output)
  const about: CollectionAbout = {
    timeStamp: deps.features.clock.now().toISOString(),
    numberMatched,
    numberReturned: asked.version === '2.0.0' ? 0 : numberMatched,
    // An XML request has no URL.
    next: asked.features === undefined && numberMatched > 0 ? resultsUrl(asked) : undefined,
    previous: undefined,
  }
  const layers = readings.map(({ layer }) => layer)
  const element = elementOf(output)
  const root = collectionRoot(element, about, namespacesOf(asked, layers, gmlOf(output)))
  asked.reply.header('content-type', 'text/xml; charset=utf-8')
  return asked.reply.send(`${root}</${element}>\n`)
}
