import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPair } from '../../support/cluster.ts'
import type { Json } from '../../support/importer-client.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import type { TestServer } from '../../support/server.ts'
import { userAndPassword } from '../../support/server.ts'
import { provideFile } from '../../support/slow-sources.ts'
import type { Cleanup } from '../../support/terrane-process.ts'
import type { VersionResponse } from '../../support/version-client.ts'
import { pointsJson } from '../../support/versioned-layers.ts'

const items = '/ogc/collections/default:places/items'
const versionsPath = '/rest/layers/default:places/versions'
const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`

interface Answer {
  status: number
  tag: string
  json: Json
  text: string
}

async function ask(
  { url }: TestServer,
  method: string,
  path: string,
  { body, ifMatch }: { body?: object; ifMatch?: string } = {},
): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/geo+json'
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization,
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  const isJson = /json/.test(reply.headers.get('content-type') ?? '') && text !== ''
  return {
    status: reply.status,
    tag: reply.headers.get('etag') ?? '',
    json: (isJson ? JSON.parse(text) : {}) as Json,
    text,
  }
}

async function startWithLayer(t: Cleanup, type: 'GeoPackage' | 'PostGIS') {
  const { first, second, dataDir } = await startPair(t)
  const parameters = type === 'PostGIS' ? storeParameters(await fileDatabase()) : {}
  const dataStore = { name: 'store', type, connectionParameters: parameters }
  const made = await first.call('POST', '/rest/workspaces/default/datastores', { dataStore })
  assert.equal(made.status, 201, made.text)
  provideFile(
    dataDir,
    'places.geojson',
    pointsJson([
      ['a', 1, 2],
      ['b', 3, 4],
    ]),
  )
  const created = await first.call('POST', '/rest/imports', {
    import: { targetStore: { dataStore: { name: 'store' } }, data: { type: 'file', file: 'places.geojson' } },
  })
  const id = Number(created.json.import?.id)
  await first.call('POST', `/rest/imports/${id}`)
  await first.importIn(id, ['COMPLETE'])
  return { first, second }
}

async function versionsOf(server: TestServer): Promise<VersionResponse[]> {
  const { json, text, status } = await server.call('GET', versionsPath)
  assert.equal(status, 200, text)
  return (json as unknown as { versions: VersionResponse[] }).versions
}

async function namesOf(server: TestServer, query = ''): Promise<string[]> {
  const { json, text, status } = await ask(server, 'GET', `${items}?limit=1000${query}`)
  assert.equal(status, 200, text)
  const { features } = json as unknown as { features: { properties: { name: string } }[] }
  return features.map(({ properties }) => properties.name).sort()
}

describe('edits on two servers of one catalogue', { concurrency: 2 }, () => {
  for (const type of ['PostGIS', 'GeoPackage'] as const)
    it(`takes one of two that name the same state of a feature, and loses none of the others, in ${type}`, async (t) => {
      const { first, second } = await startWithLayer(t, type)
      const servers = [first, second]
      for (let round = 0; round < 5; round += 1) {
        const { tag } = await ask(servers[round % 2] ?? first, 'GET', `${items}/1`)
        const answers = await Promise.all(
          servers.map((server, at) =>
            ask(server, 'PATCH', `${items}/1`, {
              body: { properties: { name: `r${round}s${at}` } },
              ifMatch: tag,
            }),
          ),
        )
        const statuses = answers.map(({ status }) => status)
        assert.deepEqual([...statuses].sort(), [204, 412], answers.map(({ text }) => text).join('\n'))
        const won = `r${round}s${statuses.indexOf(204)}`
        for (const server of servers) assert.deepEqual(await namesOf(server), ['b', won].sort())
      }
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          ask(servers[at % 2] ?? first, 'POST', items, {
            body: {
              type: 'Feature',
              properties: { name: `n${at}` },
              geometry: { type: 'Point', coordinates: [at, at] },
            },
          }),
        ),
      )
      assert.deepEqual(
        [...new Set(added.map(({ status, text }) => `${status} ${status === 201 ? '' : text}`))],
        ['201 '],
      )
      for (const server of servers) {
        const versions = await versionsOf(server)
        assert.deepEqual(
          versions.map(({ version, cause, rows, restorable }) => [version, cause, rows, restorable]),
          [
            [26, 'edit', 22, false],
            [1, 'import', 2, true],
          ],
        )
        assert.equal((await namesOf(server)).length, 22)
        assert.deepEqual(await namesOf(server, '&version=1'), ['a', 'b'])
      }
      const back = await second.call('POST', `${versionsPath}/1/restore`, {})
      assert.equal(back.status, 200, back.text)
      for (const server of servers) assert.deepEqual(await namesOf(server), ['a', 'b'])
      await Promise.all(servers.map((server) => server.stop()))
    })
})
