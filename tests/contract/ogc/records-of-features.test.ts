import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/importer-client.ts'
import { databases } from '../../support/monitoring-client.ts'

const items = '/ogc/catalogue/collections/layers/items'

interface Found {
  id: string
  time: { interval: string[] } | null
  extent: { temporal?: { interval: string[][] } }
  properties: { contacts?: object[] }
}

const csv = (days: string[]): string =>
  `name,seen,x,y\n${days.map((day, at) => `a${at},${day},${at},5`).join('\n')}\n`

for (const [name, environment] of Object.entries(databases))
  describe(`records of layers of features over ${name}`, () => {
    let server: TestApp
    before(async () => {
      const contact = {
        TERRANE_CONTACT_ORGANISATION: 'Stadt Ulm',
        TERRANE_CONTACT_URL: 'https://ulm.example/gis',
        TERRANE_CONTACT_EMAIL: 'maps@ulm.example',
      }
      server = await createTestApp({ env: { ...(await environment()), ...contact } })
      await load('early', ['2020-02-01', '2020-03-04', ''])
      await load('late', ['2021-06-01'])
      await load('never', [''])
    })
    after(() => server.close())

    async function load(layer: string, days: string[], mode = 'CREATE'): Promise<void> {
      const client = clientOf(server)
      const target = { targetWorkspace: { workspace: { name: 'default' } } }
      const { json } = await client.call('POST', '', { import: target })
      const id = Number(json.import?.id)
      await client.upload(id, [{ name: `${layer}.csv`, content: csv(days) }])
      const transforms = [
        { type: 'AttributesToPointGeometryTransform', latField: 'y', lngField: 'x' },
        { type: 'DateFormatTransform', field: 'seen', format: 'yyyy-MM-dd' },
      ]
      const task = { updateMode: mode, transformChain: { type: 'vector', transforms } }
      const changed = await client.call('PUT', `/${id}/tasks/0`, { task })
      assert.equal(changed.status, 200, changed.text)
      const placed = await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { srs: 'EPSG:4326' } } })
      assert.equal(placed.status, 200, placed.text)
      await client.call('POST', `/${id}`)
      const done = await client.call('GET', `/${id}`)
      assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
    }

    const get = (url: string, headers: Record<string, string> = {}) =>
      server.app.inject({ url, headers: { ...server.admin, ...headers } })
    const records = async (query: string): Promise<Found[]> => {
      const reply = await get(`${items}?workspace=default&${query}`)
      assert.equal(reply.statusCode, 200, reply.body)
      return reply.json<{ features: Found[] }>().features
    }
    const named = async (query: string): Promise<string[]> =>
      (await records(query)).map(({ id }) => id.replace('default:', '')).filter((id) => /^[eln]/.test(id))

    it('tell first and last day, and are found by them', async () => {
      const [early] = await records('ids=default:early')
      assert.deepEqual(early?.time, { interval: ['2020-02-01', '2020-03-04'] })
      assert.deepEqual(early?.extent.temporal?.interval, [['2020-02-01T00:00:00Z', '2020-03-04T23:59:59Z']])
      const [never] = await records('ids=default:never')
      assert.deepEqual([never?.time, never?.extent.temporal], [null, undefined])
      assert.deepEqual(await named('datetime=2020-03-04T12:00:00Z'), ['early', 'never'])
      assert.deepEqual(await named('datetime=2020-03-05/2021-05-31'), ['never'])
      assert.deepEqual(await named('datetime=2020-01-01/..'), ['early', 'late', 'never'])
      const dcat = (await get('/ogc/catalogue/dcat?workspace=default')).body
      assert.match(dcat, /"dcat:startDate":\{"@type":"xsd:dateTime","@value":"2020-02-01T00:00:00Z"\}/)
    })

    it('change with the data, so that an answer that is kept is not taken for the new one', async () => {
      const url = `${items}/default:late`
      const etag = String((await get(url)).headers['etag'])
      assert.equal((await get(url, { 'if-none-match': etag })).statusCode, 304)
      await load('late', ['2022-01-01'], 'APPEND')
      const reply = await get(url, { 'if-none-match': etag })
      assert.equal(reply.statusCode, 200)
      assert.deepEqual(reply.json<Found>().time, { interval: ['2021-06-01', '2022-01-01'] })
    })

    it('name who offers the server as publisher, by DCAT-AP too', async () => {
      const [early] = await records('ids=default:early')
      assert.deepEqual(early?.properties.contacts, [
        {
          organization: 'Stadt Ulm',
          emails: [{ value: 'maps@ulm.example' }],
          roles: ['publisher'],
          links: [{ rel: 'about', type: 'text/html', href: 'https://ulm.example/gis' }],
        },
      ])
      const dcat = (await get('/ogc/catalogue/dcat')).json<{ 'dct:publisher': object }>()
      assert.deepEqual(dcat['dct:publisher'], {
        '@id': 'https://ulm.example/gis',
        '@type': ['foaf:Agent', 'foaf:Organization'],
        'foaf:name': 'Stadt Ulm',
        'foaf:homepage': { '@id': 'https://ulm.example/gis' },
        'foaf:mbox': { '@id': 'mailto:maps@ulm.example' },
      })
    })
  })
