import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FilePart, ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, multipart, multipartType, startImporter } from '../../support/importer-client.ts'
import { patience } from '../../support/until.ts'

/**
 * Requests of a Python client of the older importer, one object after the other. The client reads what it
 * expects from each response and stops if something is missing.
 */
class Walk {
  readonly #client: ImporterClient

  constructor(client: ImporterClient) {
    this.#client = client
  }

  async request(method: string, path: string, body?: unknown, isForm = false): Promise<Json> {
    const { app, admin } = this.#client.server
    const reply = await app.inject({
      method: method as 'GET',
      url: path.startsWith('http') ? path.slice(path.indexOf('/rest')) : `/rest${path}`,
      headers: {
        ...admin,
        ...(body === undefined ? {} : { 'content-type': isForm ? multipartType : 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: isForm ? (body as Buffer) : JSON.stringify(body) }),
    })
    assert.ok(reply.statusCode >= 200 && reply.statusCode < 300, `${method} ${path}: ${reply.body}`)
    if (method === 'DELETE' || (method === 'POST' && body === undefined && /\/imports\/\d+/.test(path)))
      assert.equal(reply.statusCode, 204)
    return reply.body === '' ? {} : reply.json()
  }

  async start(id?: number): Promise<Json> {
    return this.#session(
      id === undefined ? await this.request('POST', '/imports') : await this.request('PUT', `/imports/${id}`),
    )
  }

  async reload(session: Json): Promise<Json> {
    return this.#session(await this.request('GET', `${String(session.href)}?expand=3`))
  }

  async upload(session: Json, files: FilePart[]): Promise<Json[]> {
    const path = `/imports/${Number(session.id)}/tasks?expand=3&option=charset:utf-8`
    const answer = await this.request('POST', path, multipart(files), true)
    const tasks = answer.task === undefined ? listOf(answer.tasks) : [answer.task]
    return tasks.map((task) => this.#task(task))
  }

  async changeStore(task: Json, store: object): Promise<void> {
    const key = task.target?.coverageStore === undefined ? 'dataStore' : 'coverageStore'
    await this.request('PUT', String(task.target?.href ?? `${String(task.href)}/target`), {
      [key]: { enabled: true, ...store },
    })
  }

  async commit(session: Json): Promise<Json> {
    await this.request('POST', `/imports/${Number(session.id)}?async=true&exec=true`)
    for (const hasTime = patience(); hasTime(); ) {
      const now = await this.reload(session)
      if (String(now.state) === 'COMPLETE') return now
      assert.match(String(now.state), /^(PENDING|RUNNING)$/, JSON.stringify(now))
      await sleep(25)
    }
    assert.fail('The import does not end')
  }

  /** `workspace:layer`, as the client puts it together. */
  layerName({ target, layer }: Json): string {
    const store = target?.dataStore ?? target?.coverageStore ?? assert.fail('no store')
    return `${String(store.workspace?.name)}:${String(layer?.name)}`
  }

  #session(answer: Json): Json {
    const session = answer.import ?? assert.fail(JSON.stringify(answer))
    this.#expect(session, 'id', 'href', 'state')
    for (const task of listOf(session.tasks)) if (task.progress !== undefined) this.#task(task)
    return session
  }

  #task(task: Json): Json {
    this.#expect(task, 'id', 'href', 'state', 'progress', 'data', 'transformChain')
    this.#expect(task.data, 'type')
    this.#expect(task.transformChain, 'type', 'transforms')
    const store = task.target?.dataStore ?? task.target?.coverageStore
    if (task.target !== undefined) this.#expect(store, 'name', 'type')
    if (task.layer?.bbox === undefined) return task
    this.#expect(task.layer, 'name', 'href', 'bbox')
    this.#expect(task.layer.bbox, 'minx', 'miny', 'maxx', 'maxy')
    for (const attribute of listOf(task.layer.attributes)) this.#expect(attribute, 'name', 'binding')
    return task
  }

  #expect(json: Json | undefined, ...names: string[]): void {
    for (const name of names) assert.ok(json?.[name] !== undefined, `${name} in ${JSON.stringify(json)}`)
  }
}

const shapefile = (base: string, ...endings: string[]): FilePart[] =>
  endings.map((ending) => ({
    name: `${base}.${ending}`,
    content: readFileSync(`tests/fixtures/shapefile/${base}.${ending}`),
  }))

async function begin(test: TestContext): Promise<{ walk: Walk; client: ImporterClient }> {
  const client = await startImporter(test, { env: { TERRANE_DIALECT: 'geoserver' } })
  const { app, admin: headers } = client.server
  const payload = { workspace: { name: 'topp' } }
  await app.inject({ method: 'POST', url: '/rest/workspaces', headers, payload })
  return { client, walk: new Walk(client) }
}

describe('the walk of an older client', () => {
  it('uploads a Shapefile, sends it to a workspace alone, sets srs and charset, commits and deletes', async (test) => {
    const { walk } = await begin(test)
    const session = await walk.start()
    const [task = assert.fail()] = await walk.upload(session, shapefile('blockgroups', 'shp', 'shx', 'dbf'))
    assert.equal(String(task.state), 'NO_CRS')
    await walk.changeStore(task, { workspace: { name: 'topp' } })
    await walk.request('PUT', String(task.href), { task: { source: { charset: 'windows-1252' } } })
    await walk.request('PUT', String(task.layer?.href), { layer: { srs: 'EPSG:4326' } })
    await walk.request('PUT', String(task.layer?.href), { layer: { name: 'groups' } })
    await walk.request('PUT', String(task.href), { task: { updateMode: 'REPLACE' } })
    await walk.request('PUT', String(task.href), { task: { updateMode: 'CREATE' } })
    const [ready = assert.fail()] = listOf((await walk.reload(session)).tasks)
    assert.equal(String(ready.state), 'READY')
    assert.equal(walk.layerName(ready), 'topp:groups')
    const done = await walk.commit(session)
    const [complete = assert.fail()] = listOf(done.tasks)
    assert.equal(walk.layerName(complete), 'topp:groups')
    assert.equal(String((await walk.request('GET', String(complete.progress))).state), 'COMPLETE')
    await walk.request('DELETE', String(complete.href))
    await walk.request('DELETE', `/imports/${Number(session.id)}`)
  })

  it('appends a table with transformations that it lists, adds to and removes from', async (test) => {
    const { walk } = await begin(test)
    const session = await walk.start(7)
    assert.equal(Number(session.id), 7)
    const table = { name: 'places.csv', content: 'name,year,lat,lon\nA,2001,1,2\n' }
    const [task = assert.fail()] = await walk.upload(session, [table])
    await walk.changeStore(task, { name: 'default' })
    await walk.request('PUT', String(task.layer?.href), { layer: { srs: 'EPSG:4326' } })
    const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
    const year = { type: 'IntegerFieldToDateTransform', field: 'year' }
    const set = (transforms: unknown[]): Promise<Json> =>
      walk.request('PUT', String(task.href), { task: { transformChain: { type: 'vector', transforms } } })
    await set([year])
    const [listed = assert.fail()] = listOf((await walk.reload(session)).tasks)
    await set([...listOf(listed.transformChain?.transforms), points])
    await walk.commit(session)
    const second = await walk.start()
    const [more = assert.fail()] = await walk.upload(second, [table])
    await walk.request('PUT', String(more.layer?.href), { layer: { srs: 'EPSG:4326' } })
    await walk.request('PUT', String(more.href), { task: { updateMode: 'APPEND' } })
    await walk.request('PUT', String(more.href), {
      task: { transformChain: { type: 'vector', transforms: [year, points] } },
    })
    const done = await walk.commit(second)
    assert.equal(walk.layerName(listOf(done.tasks)[0] ?? {}), 'default:places')
    const sessions = listOf((await walk.request('GET', '/imports')).imports)
    assert.deepEqual(sessions.map(({ id }) => Number(id)).sort(), [7, 8])
  })

  it('deletes tasks that nothing reads and starts a mosaic with a name', async (test) => {
    const { walk } = await begin(test)
    const session = await walk.start()
    const [unread = assert.fail()] = await walk.upload(session, [{ name: 'notes.txt', content: 'Dear Sir,' }])
    assert.equal(unread.data?.format ?? null, null)
    await walk.request('DELETE', String(unread.href))
    const made = await walk.request('POST', '/imports', {
      import: { data: { type: 'mosaic', name: 'scene', time: { mode: 'auto' } } },
    })
    const content = readFileSync('tests/fixtures/mosaic/rgb1.tif')
    const [task = assert.fail()] = await walk.upload(made.import ?? {}, [
      { name: 'rgb1_20200101.tif', content },
    ])
    assert.match(walk.layerName({ ...task }), /^default:/)
  })
})
