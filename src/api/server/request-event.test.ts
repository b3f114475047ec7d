import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyReply } from 'fastify'
import { fastify } from 'fastify'
import { silentLogger } from '../../../tests/support/silent-logger.ts'
import { sameValues } from '../../../tests/support/without-undefined.ts'
import { anonymous } from '../../access/records.ts'
import type { ServerRequest } from '../../monitoring/collect/server/server-request.ts'
import type { App, FastifyRequest, TypeBoxProvider } from '../app-types.ts'
import { toRequestEvent } from './request-event.ts'

type UsedLayers = NonNullable<FastifyRequest['usedLayers']>

const ending = {
  created: 0,
  status: 200,
  sizeBytes: 10,
  milliseconds: 1,
  clientIp: '203.0.113.7',
  caller: anonymous,
}

/** Returns the record that monitoring receives for a tile request. */
async function recordTile(url: string, { layers, base = '' }: { layers: string[]; base?: string }) {
  const app: App = fastify({ loggerInstance: silentLogger }).withTypeProvider<TypeBoxProvider>()
  app.decorate('basePath', base)
  const recorded: ServerRequest[] = []
  const config = { countsAs: 'OWS:TMS', isTile: true } as const
  const handler = (request: FastifyRequest, reply: FastifyReply): string => {
    request.usedLayers = layers.map((layer) => {
      const [workspace = '', name = ''] = layer.split(':')
      return { workspace, name, details: {} } as UsedLayers[number]
    })
    recorded.push(toRequestEvent(request, reply, ending))
    return ''
  }
  app.get('/tiles/:layer/:z/:x/:y', { config }, handler)
  await app.inject(url)
  const [first] = recorded
  assert.ok(first)
  return first
}

describe('toOwnRequest', () => {
  it('tells of a tile the route with its layers, and never the tile or the query', async () => {
    const one = await recordTile('/tiles/city:a/3/4/5.mvt?access_token=secret&access%5Ftoken=secret', {
      layers: ['city:a'],
    })
    assert.equal(one.path, '/tiles/city:a/{z}/{x}/{y}')
    assert.equal(one.isCountedOnly, true)
    assert.equal(one.service, 'mapserver')
    assert.doesNotMatch(JSON.stringify(one), /secret/)
    const two = await recordTile('/tiles/city:a,city:$1/3/4/5.mvt', { layers: ['city:a', 'city:$1'] })
    assert.equal(two.path, '/tiles/city:a,city:$1/{z}/{x}/{y}')
    sameValues(two.resources, [
      { type: 'layer', name: 'city:a' },
      { type: 'layer', name: 'city:$1' },
    ])
  })

  it('has no path for each name that no layer has', async () => {
    const { path } = await recordTile('/tiles/made:up/3/4/5.mvt', { layers: [] })
    assert.equal(path, '/tiles/{layer}/{z}/{x}/{y}')
  })

  it('names the path below which the server stands', async () => {
    const below = await recordTile('/tiles/city:a/3/4/5.mvt', { layers: ['city:a'], base: '/maps' })
    assert.equal(below.path, '/maps/tiles/city:a/{z}/{x}/{y}')
  })
})
