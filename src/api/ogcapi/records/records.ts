import type { LayerRecord } from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import type { OgcDeps, RecordDeps } from '../ogc-deps.ts'
import { represented } from '../representations.ts'
import { offeredRecords } from './catalogue.ts'
import { resourcesOf } from './layer-resources.ts'
import { isListKept, knownSummaries, readableRecord, readLayers } from './read-records.ts'
import type { RecordLink } from './record-response.ts'
import { catalogProfile, recordsCollection, recordsPath, toRecord } from './record-response.ts'
import { findRecords } from './record-search.ts'
import type { RecordTimes } from './record-times.ts'
import { timesOfSummaries } from './record-times.ts'
import { RecordAnswer, RecordParams, RecordsAnswer, RecordsQuery } from './schemas.ts'

const geoJson = 'application/geo+json; charset=utf-8'
const marks = { tags: ['records'], isPublicRead: true }

function linksOf(request: FastifyRequest, after: string | undefined): RecordLink[] {
  const type = 'application/geo+json'
  const [, query = ''] = request.url.split('?', 2)
  const self = request.link(`${recordsPath}${query === '' ? '' : `?${query}`}`)
  const links = [
    { rel: 'self', type, title: 'This page', href: self },
    {
      rel: 'collection',
      type: 'application/ogc-catalog+json',
      title: 'The catalogue',
      href: request.link(recordsCollection),
    },
    catalogProfile,
  ]
  if (after === undefined) return links
  const parameters = new URLSearchParams(query)
  parameters.delete('offset')
  parameters.set('after', after)
  return [
    ...links,
    { rel: 'next', type, title: 'Next page', href: request.link(`${recordsPath}?${parameters}`) },
  ]
}

async function recordOf(
  { catalog, bounds, about }: Pick<OgcDeps, 'catalog' | 'bounds' | 'about'>,
  request: FastifyRequest,
  layer: LayerRecord,
  times: ReadonlyMap<number, RecordTimes>,
): Promise<object> {
  const resources = await resourcesOf(catalog, request, layer)
  const range = await bounds.ofLayer(layer)
  const { contact } = about
  return toRecord(request, layer, { range, resources, times: times.get(layer.id), publisher: contact })
}

export const getRecords = represented(
  offeredRecords,
  operation({
    ...marks,
    summary: 'Layers as records of a catalogue',
    description:
      'Without a login, public layers only. Pages requested by `next` neither skip nor repeat layers that keep their position.',
    query: RecordsQuery,
    answers: { 200: RecordsAnswer },
    handle: async (deps: OgcDeps, request, reply) => {
      const set = await knownSummaries(deps.catalog, request)
      const found = await findRecords(set, request.query, deps)
      const times = await timesOfSummaries(deps, found.cards)
      if (isListKept(deps, set, { request, reply, times, total: found.total })) return reply.send()
      const features: object[] = []
      for await (const layers of readLayers(deps.catalog, request, found.cards))
        for (const layer of layers) {
          features.push(await recordOf(deps, request, layer, times))
        }
      reply.header('content-type', geoJson)
      return {
        type: 'FeatureCollection',
        features,
        numberMatched: found.total,
        numberReturned: features.length,
        timeStamp: deps.clock.now().toISOString(),
        links: linksOf(request, found.after),
      }
    },
  }),
)

export const getRecord = represented(
  offeredRecords,
  operation({
    ...marks,
    summary: 'One layer as a record of a catalogue',
    description:
      'Title, abstract, keywords, extent, licence, contact and links of one layer as a GeoJSON record.',
    params: RecordParams,
    answers: { 200: RecordAnswer },
    handle: async (deps: RecordDeps, request, reply) => {
      const layer = await readableRecord(deps.catalog, request)
      const set = await knownSummaries(deps.catalog, request)
      const card = set.byId.get(layer.id)
      const times = await timesOfSummaries(deps, card === undefined ? [] : [card])
      if (isListKept(deps, set, { request, reply, times })) return reply.send()
      reply.header('content-type', geoJson)
      return recordOf(deps, request, layer, times)
    },
  }),
)
