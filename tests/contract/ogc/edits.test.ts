import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { addEditedStores, shownFeatures } from '../../support/edited-layers.ts'
import type { FeatureRequest } from '../../support/feature-client.ts'
import { askFeature, pointFeature } from '../../support/feature-client.ts'
import type { Answer } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { ask } from '../../support/version-client.ts'
import { importPoints } from '../../support/versioned-layers.ts'

/** A layer `requirements_<store>` with two points, created again for each test. */
interface Subject {
  server: TestApp
  layer: string
  send(request: Omit<FeatureRequest, 'layer'>): Promise<Answer>
}

const collections = '/ogc/collections'
const webMercator = '<http://www.opengis.net/def/crs/EPSG/0/3857>'

async function pointOf({ server, layer }: Subject, id: number): Promise<unknown> {
  const found = (await shownFeatures(server, layer)).find((one) => one.id === id)
  return found?.geometry?.coordinates
}

async function allowOf(subject: Subject, id?: number, headers?: Record<string, string>): Promise<string> {
  const {
    status,
    headers: reported,
    text,
  } = await subject.send({
    method: 'OPTIONS',
    ...(id === undefined ? {} : { id }),
    ...(headers === undefined ? {} : { headers }),
  })
  assert.equal(status, 200, text)
  return String(reported['allow'])
}

/** Requirements of OGC 20-002 by their names. */
const requirements: Record<string, (subject: Subject) => Promise<void>> = {
  '/req/core/methods and /req/create-replace-delete/options-response': async (subject) => {
    assert.equal(await allowOf(subject), 'GET, HEAD, OPTIONS, POST')
    assert.equal(await allowOf(subject, 1), 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT')
    const reader = basicAuth('reader', 'reader-password')
    assert.equal(await allowOf(subject, undefined, reader), 'GET, HEAD, OPTIONS')
    assert.equal(await allowOf(subject, 1, reader), 'GET, HEAD, OPTIONS')
  },
  '/req/create-replace-delete/post-op, post-response and post-response-rid': async (subject) => {
    const first = await subject.send({ method: 'POST', body: pointFeature({ name: 'x' }) })
    const second = await subject.send({ method: 'POST', body: pointFeature({ name: 'x' }) })
    assert.deepEqual([first.status, second.status], [201, 201])
    const places = [first, second].map(({ headers }) => String(headers['location']))
    assert.notEqual(places[0], places[1])
    for (const place of places) {
      const reply = await subject.server.app.inject({
        url: new URL(place).pathname,
        headers: subject.server.admin,
      })
      assert.equal(reply.json<{ properties: { name: string } }>().properties.name, 'x')
    }
  },
  '/req/create-replace-delete/post-body and post-content-type': async (subject) => {
    const body = pointFeature({ name: 'x' })
    const types = { 'application/geo+json': 201, 'application/json; charset=utf-8': 201, 'text/csv': 415 }
    for (const [type, status] of Object.entries(types)) {
      const answer = await subject.send({ method: 'POST', body, headers: { 'content-type': type } })
      assert.equal(answer.status, status, `${type}: ${answer.text}`)
    }
    for (const bad of ['', '{', '[]', '{"type":"FeatureCollection","features":[]}', '{"type":"Feature"}']) {
      const answer = await subject.send({ method: 'POST', body: bad })
      assert.equal(answer.status, 400, bad)
    }
  },
  '/req/create-replace-delete/put-op, put-response and put-rid': async (subject) => {
    const body = { ...pointFeature({ name: 'new' }, [7, 8]), id: 77 }
    assert.equal((await subject.send({ method: 'PUT', id: 1, body })).status, 204)
    const [one] = await shownFeatures(subject.server, subject.layer)
    assert.deepEqual([one?.id, one?.properties, one?.geometry?.coordinates], [1, { name: 'new' }, [7, 8]])
    assert.equal((await subject.send({ method: 'PUT', id: 1, body: pointFeature({}) })).status, 204)
    const [emptied] = await shownFeatures(subject.server, subject.layer)
    assert.deepEqual(emptied?.properties, { name: null })
  },
  '/req/create-replace-delete/put-rid-exception': async (subject) => {
    const body = pointFeature({ name: 'x' })
    assert.equal((await subject.send({ method: 'PUT', id: 4711, body })).status, 404)
    const headers = { 'if-match': '*' }
    assert.equal((await subject.send({ method: 'PUT', id: 4711, body, headers })).status, 412)
    assert.equal((await shownFeatures(subject.server, subject.layer)).length, 2)
  },
  '/req/create-replace-delete/delete-op and delete-response': async (subject) => {
    assert.equal((await subject.send({ method: 'DELETE', id: 1 })).status, 204)
    assert.equal((await subject.send({ method: 'GET', id: 1 })).status, 404)
    assert.equal((await subject.send({ method: 'DELETE', id: 1 })).status, 404)
  },
  '/req/update/methods, update-patch-op, update-patch-response and rid': async (subject) => {
    assert.match(await allowOf(subject, 1), /PATCH/)
    const body = { id: 9, geometry: { coordinates: [3, 3] } }
    assert.equal((await subject.send({ method: 'PATCH', id: 1, body })).status, 204)
    const [one] = await shownFeatures(subject.server, subject.layer)
    assert.deepEqual([one?.id, one?.properties, one?.geometry?.coordinates], [1, { name: 'a' }, [3, 3]])
  },
  '/req/features/update-json-merge-patch': async (subject) => {
    const body = { properties: { name: null }, geometry: null }
    assert.equal((await subject.send({ method: 'PATCH', id: 1, body })).status, 204)
    const [one] = await shownFeatures(subject.server, subject.layer)
    assert.deepEqual([one?.properties, one?.geometry], [{ name: null }, null])
    const headers = { 'content-type': 'application/json-patch+json' }
    assert.equal((await subject.send({ method: 'PATCH', id: 1, body, headers })).status, 415)
  },
  '/req/optimistic-locking-etags/get-etag-response, put-etag-response and patch-etag-response': async (
    subject,
  ) => {
    const tagOf = async (): Promise<string> =>
      String((await subject.send({ method: 'GET', id: 1 })).headers['etag'])
    const first = await tagOf()
    assert.match(first, /^"[\w-]{22}\.\d+"$/)
    assert.equal(await tagOf(), first)
    const put = await subject.send({ method: 'PUT', id: 1, body: pointFeature({ name: 'p' }) })
    assert.equal(put.headers['etag'], await tagOf())
    assert.notEqual(put.headers['etag'], first)
    const patch = await subject.send({ method: 'PATCH', id: 1, body: { properties: { name: 'q' } } })
    assert.equal(patch.headers['etag'], await tagOf())
    const same = { 'if-none-match': String(patch.headers['etag']) }
    assert.equal((await subject.send({ method: 'GET', id: 1, headers: same })).status, 304)
    // Changes of other features do not change this one.
    await subject.send({ method: 'PATCH', id: 2, body: { properties: { name: 'other' } } })
    const seen = { 'if-match': String(patch.headers['etag']) }
    const still = await subject.send({
      method: 'PATCH',
      id: 1,
      body: { properties: { name: 'r' } },
      headers: seen,
    })
    assert.equal(still.status, 204)
  },
  '/req/optimistic-locking-etags/ifmatch-put-eval and ifmatch-patch-eval': async (subject) => {
    const { headers } = await subject.send({ method: 'GET', id: 1 })
    const seen = { 'if-match': String(headers['etag']) }
    const body = { properties: { name: 'mine' } }
    assert.equal((await subject.send({ method: 'PATCH', id: 1, body, headers: seen })).status, 204)
    for (const [method, late] of [
      ['PATCH', { properties: { name: 'late' } }],
      ['PUT', pointFeature({ name: 'late' })],
      ['DELETE', undefined],
    ] as const) {
      const answer = await subject.send({ method, id: 1, body: late, headers: seen })
      assert.deepEqual([answer.status, answer.json['code']], [412, 'changed-meanwhile'], method)
    }
    assert.equal((await shownFeatures(subject.server, subject.layer))[0]?.properties['name'], 'mine')
    const any = { 'if-match': '*' }
    assert.equal((await subject.send({ method: 'DELETE', id: 1, headers: any })).status, 204)
  },
  '/req/features/resources-endpoint and resource-endpoint': async ({ server, layer }) => {
    const { paths } = (await ask(server, 'GET', '/ogc/api')).json as unknown as {
      paths: Record<string, object>
    }
    assert.deepEqual(Object.keys(paths['/collections/{collectionId}/items'] ?? {}).sort(), [
      'get',
      'options',
      'post',
    ])
    assert.deepEqual(Object.keys(paths['/collections/{collectionId}/items/{featureId}'] ?? {}).sort(), [
      'delete',
      'get',
      'options',
      'patch',
      'put',
    ])
    const reply = await ask(server, 'GET', `${collections}/${layer}`)
    // The server assigns ids: /req/features/collection-endpoint requires nothing in that case.
    assert.equal('supportsNonAutogeneratedResourceIds' in reply.json, false)
  },
  '/req/features/default-crs, crs-other-crs and content-crs-header': async (subject) => {
    const metres = { 'content-crs': webMercator }
    const body = pointFeature({ name: 'm' }, [111319.49079327357, 111325.1428663851])
    const made = await subject.send({ method: 'POST', body, headers: metres })
    assert.equal(made.headers['content-crs'], webMercator)
    const [x = 0, y = 0] = (await pointOf(subject, 3)) as number[]
    assert.ok(Math.abs(x - 1) < 1e-9 && Math.abs(y - 1) < 1e-9, `${x} ${y}`)
    const yx = { 'content-crs': '<http://www.opengis.net/def/crs/EPSG/0/4326>' }
    await subject.send({ method: 'POST', body: pointFeature({ name: 'y' }, [10, 20]), headers: yx })
    assert.deepEqual(await pointOf(subject, 4), [20, 10])
    for (const wrong of ['<http://www.opengis.net/def/crs/EPSG/0/25832>', 'nonsense']) {
      const answer = await subject.send({ method: 'POST', body, headers: { 'content-crs': wrong } })
      assert.equal(answer.status, 400, wrong)
    }
  },
  '/req/features/schema and representation-geojson-replace': async ({ server, layer, send }) => {
    const plain = await ask(server, 'GET', `${collections}/${layer}/schema`)
    assert.equal(plain.json['additionalProperties'], false)
    const unknown = await send({ method: 'POST', body: pointFeature({ name: 'x', other: 1 }) })
    assert.deepEqual([unknown.status, unknown.json['code']], [400, 'invalid-property'])
    for (const type of ['create', 'replace', 'update']) {
      const sent = await ask(server, 'GET', `${collections}/${layer}/schema?type=${type}`)
      assert.equal(sent.status, 200, sent.text)
      assert.match(String(sent.headers['content-type']), /^application\/schema\+json/)
      const { properties, required } = sent.json as unknown as {
        properties: { properties: { properties: object } }
        required?: string[]
      }
      assert.deepEqual(Object.keys(properties.properties.properties), ['name'])
      assert.deepEqual(required, type === 'update' ? undefined : ['type', 'geometry', 'properties'])
    }
  },
}

const classes = ['create-replace-delete', 'update', 'optimistic-locking-etags', 'features']

for (const [catalogue, store, environment] of [
  ['SQLite', 'file', async () => ({})],
  ['PostgreSQL', 'table', async () => ({ TERRANE_DATABASE_URL: await fileDatabase() })],
] as const)
  describe(`OGC API Features part 4, catalogue in ${catalogue}`, () => {
    let server: TestApp
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await addEditedStores(server)
      const user = { name: 'reader', password: 'reader-password', email: 'r@example.org', role: 'user' }
      const made = await ask(server, 'POST', '/rest/security/users', { user })
      assert.equal(made.status, 201, made.text)
    })
    after(() => server.close())

    it('is declared', async () => {
      const { conformsTo } = (await ask(server, 'GET', '/ogc/conformance')).json as unknown as {
        conformsTo: string[]
      }
      for (const one of classes)
        assert.ok(conformsTo.includes(`http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/${one}`), one)
    })

    for (const [at, [name, check]] of Object.entries(requirements).entries())
      it(`meets ${name} in store ${store}`, async () => {
        const table = `requirement_${store}_${at}`
        const layer = `default:${table}`
        await importPoints(server, { name: table, store })
        await check({ server, layer, send: (request) => askFeature(server, { ...request, layer }) })
      })
  })
