import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import * as tus from 'tus-js-client'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { databases, makeRoles } from '../../support/monitoring-client.ts'
import { until } from '../../support/until.ts'
import { pointsJson } from '../../support/versioned-layers.ts'

const samples = 'sample/natural-earth'
const pieceType = 'application/offset+octet-stream'
const points = Buffer.from(pointsJson(Array.from({ length: 500 }, (_, at) => [`p${at}`, at % 90, at % 45])))

async function start(
  test: TestContext,
  env: Record<string, string> = {},
  clock = fixedClock('2026-11-21T12:00:00Z'),
) {
  const server = await createTestApp({ env, clock })
  test.after(() => server.close())
  return server
}

const nameOf = (name: string): string => `filename ${Buffer.from(name).toString('base64')}`

interface Call {
  method: 'POST' | 'PATCH' | 'HEAD' | 'GET' | 'DELETE' | 'OPTIONS'
  url?: string
  headers?: Record<string, string>
  payload?: Buffer | object
}

function call(server: TestApp, { url = '/rest/uploads', headers, ...rest }: Call) {
  return server.app.inject({
    url,
    ...rest,
    headers: { 'tus-resumable': '1.0.0', ...server.admin, ...headers },
  })
}

async function begin(
  server: TestApp,
  name: string,
  length: number,
  headers: Record<string, string> = {},
): Promise<string> {
  const reply = await call(server, {
    method: 'POST',
    headers: { 'upload-length': String(length), 'upload-metadata': nameOf(name), ...headers },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return new URL(String(reply.headers['location'])).pathname
}

function send(
  server: TestApp,
  url: string,
  offset: number,
  payload: Buffer,
  headers: Record<string, string> = {},
) {
  return call(server, {
    method: 'PATCH',
    url,
    payload,
    headers: { 'content-type': pieceType, 'upload-offset': String(offset), ...headers },
  })
}

async function whole(server: TestApp, name: string, content: Buffer): Promise<string> {
  const url = await begin(server, name, content.length)
  const reply = await send(server, url, 0, content)
  assert.equal(reply.statusCode, 204, reply.body)
  return url.split('/').at(-1) ?? ''
}

for (const [database, environment] of Object.entries(databases)) {
  describe(`resumable uploads on ${database}`, () => {
    it('of files that belong together become one task, and its layer', async (test) => {
      const server = await start(test, await environment())
      const names = (await readdir(samples)).filter((one) => /\.(shp|dbf|shx|prj)$/.test(one))
      const base = names[0]?.replace(/\..*$/, '') ?? ''
      const ids: string[] = []
      for (const ending of ['shp', 'dbf', 'shx', 'prj'])
        ids.push(await whole(server, `${base}.${ending}`, readFileSync(join(samples, `${base}.${ending}`))))
      const made = await call(server, { method: 'POST', url: '/rest/imports', payload: { import: {} } })
      const { id } = made.json().import
      const url = `/rest/imports/${id}/tasks`
      const tasks = await call(server, { method: 'POST', url, payload: { uploads: ids } })
      assert.equal(tasks.statusCode, 201, tasks.body)
      assert.equal(tasks.json().task.state, 'READY')
      await call(server, { method: 'POST', url: `/rest/imports/${id}` })
      const done = await call(server, { method: 'GET', url: `/rest/imports/${id}` })
      assert.equal(done.json().import.state, 'COMPLETE', done.body)
      const left = await call(server, { method: 'GET' })
      assert.deepEqual(left.json(), { uploads: [] })
      for (const one of ids)
        assert.equal((await call(server, { method: 'HEAD', url: `/rest/uploads/${one}` })).statusCode, 404)
    })

    it('are the data of a new import, which is READY like one of files of the server', async (test) => {
      const server = await start(test, await environment())
      const upload = [await whole(server, 'points.geojson', points)]
      const payload = {
        import: { targetStore: { dataStore: { name: 'default' } }, data: { type: 'file', upload } },
      }
      const made = await call(server, { method: 'POST', url: '/rest/imports', payload })
      assert.equal(made.statusCode, 201, made.body)
      assert.equal(made.json().import.state, 'READY', made.body)
      const again = await call(server, { method: 'POST', url: '/rest/imports', payload })
      assert.equal(again.json().code, 'unknown-upload')
      const second = [await whole(server, 'second.geojson', points)]
      const run = await call(server, {
        method: 'POST',
        url: '/rest/imports?async=true&exec=true',
        payload: { import: { data: { type: 'file', upload: second } } },
      })
      const url = `/rest/imports/${run.json().import.id}`
      await until(async () => (await call(server, { method: 'GET', url })).json().import.state === 'COMPLETE')
    })
  })
}

describe('resumable uploads', () => {
  it('speak tus: options, creation with and without a piece, offsets, expiry, giving up', async (test) => {
    const server = await start(test)
    const options = await call(server, { method: 'OPTIONS' })
    assert.equal(options.statusCode, 204)
    assert.equal(options.headers['tus-extension'], 'creation,creation-with-upload,expiration,termination')
    assert.equal(options.headers['tus-max-size'], String(10 * 2 ** 30))
    const begun = await call(server, {
      method: 'POST',
      headers: { 'upload-length': '10', 'upload-metadata': nameOf('ä b.csv'), 'content-type': pieceType },
      payload: Buffer.from('1234'),
    })
    assert.equal(begun.statusCode, 201)
    assert.equal(begun.headers['upload-offset'], '4')
    assert.equal(begun.headers['upload-expires'], 'Sun, 22 Nov 2026 12:00:00 GMT')
    const url = new URL(String(begun.headers['location'])).pathname
    const head = await call(server, { method: 'HEAD', url })
    assert.deepEqual(
      ['upload-offset', 'upload-length', 'tus-resumable', 'cache-control'].map((name) => head.headers[name]),
      ['4', '10', '1.0.0', 'no-store'],
    )
    for (const offset of [0, 3, 5, 10]) {
      const wrong = await send(server, url, offset, Buffer.from('5'))
      assert.deepEqual([wrong.statusCode, wrong.json().code], [409, 'wrong-offset'])
      assert.equal(wrong.headers['tus-resumable'], '1.0.0')
    }
    assert.equal((await send(server, url, 4, Buffer.from('56'))).headers['upload-offset'], '6')
    const tooMuch = await send(server, url, 6, Buffer.from('789012'))
    assert.deepEqual([tooMuch.statusCode, tooMuch.json().code], [413, 'upload-too-large'])
    const there = Number((await call(server, { method: 'HEAD', url })).headers['upload-offset'])
    assert.ok(there === 6 || there === 10)
    assert.equal((await send(server, url, 6, Buffer.from('7'), { 'tus-resumable': '0.2' })).statusCode, 412)
    assert.equal(
      (await send(server, url, 6, Buffer.from('7'), { 'content-type': 'text/plain' })).statusCode,
      415,
    )
    const shown = await call(server, { method: 'GET', url })
    assert.equal(shown.json().upload.name, 'ä b.csv')
    assert.equal((await call(server, { method: 'DELETE', url })).statusCode, 204)
    assert.equal((await call(server, { method: 'HEAD', url })).statusCode, 404)
    assert.deepEqual(await readdir(join(server.dataDir, 'uploads', 'resumable')), [])
  })

  it('refuse hostile names, lengths and ids', async (test) => {
    const server = await start(test)
    const tries = [
      { 'upload-length': '5' },
      { 'upload-length': '5', 'upload-metadata': nameOf('..') },
      { 'upload-length': '5', 'upload-metadata': nameOf('a/..') },
      { 'upload-length': '5', 'upload-metadata': nameOf('a\0b') },
      { 'upload-length': '5', 'upload-metadata': nameOf('x'.repeat(2000)) },
      { 'upload-length': '5', 'upload-metadata': `filename ${'A'.repeat(5000)}` },
      { 'upload-length': '5', 'upload-metadata': 'filename not base64!' },
      { 'upload-length': '-1', 'upload-metadata': nameOf('a.csv') },
      { 'upload-length': '1e3', 'upload-metadata': nameOf('a.csv') },
      { 'upload-metadata': nameOf('a.csv') },
    ]
    for (const headers of tries) {
      const reply = await call(server, { method: 'POST', headers: headers as Record<string, string> })
      assert.equal(reply.statusCode, 400, `${JSON.stringify(headers)} ${reply.body}`)
    }
    const large = { 'upload-length': '99999999999', 'upload-metadata': nameOf('a.csv') }
    assert.equal((await call(server, { method: 'POST', headers: large })).statusCode, 413)
    for (const id of ['x', '0'.repeat(32), '..%2f..%2fsecret.key', '0'.repeat(31) + '%00'])
      assert.equal((await call(server, { method: 'HEAD', url: `/rest/uploads/${id}` })).statusCode, 404)
    const [path] = [await begin(server, '../../etc/passwd', 3)]
    assert.equal((await call(server, { method: 'GET', url: path })).json().upload.name, 'passwd')
  })

  it('keep the folders that they lay in, which lead nowhere else', async (test) => {
    const server = await start(test)
    const path = (text: string) => ({
      'upload-metadata': `${nameOf('a.geojson')},relativePath ${Buffer.from(text).toString('base64')},lastModified ${Buffer.from('2026-11-20T08:00:00Z').toString('base64')}`,
    })
    const ids: string[] = []
    for (const folder of ['x/a.geojson', 'x\\y/a.geojson', 'a.geojson']) {
      const url = await begin(server, 'a.geojson', points.length, path(folder))
      assert.equal((await send(server, url, 0, points)).statusCode, 204)
      ids.push(url.split('/').at(-1) ?? '')
    }
    const { uploads } = (await call(server, { method: 'GET' })).json()
    const reported = uploads.map((one: Record<string, string>) => [one['folder'], one['modified']])
    const time = '2026-11-20T08:00:00Z'
    assert.deepEqual(reported.sort(), [
      [undefined, time],
      ['x', time],
      ['x/y', time],
    ])
    for (const wrong of ['../a.geojson', '/etc/a.geojson', 'x/../../a.geojson', 'x\u0000/a']) {
      const headers = { 'upload-length': '3', ...path(wrong) }
      assert.equal((await call(server, { method: 'POST', headers })).json().code, 'invalid-file-name', wrong)
    }
    const made = await call(server, {
      method: 'POST',
      url: '/rest/imports',
      payload: { import: { data: { type: 'file', upload: ids } } },
    })
    assert.equal(made.json().import.tasks.length, 3, made.body)
    const clash = [await whole(server, 'x', points)]
    const inside = await begin(server, 'b.geojson', 1, path('x/b.geojson'))
    await send(server, inside, 0, Buffer.from('x'))
    const taken = await call(server, {
      method: 'POST',
      url: '/rest/imports',
      payload: { import: { data: { type: 'file', upload: [...clash, inside.split('/').at(-1)] } } },
    })
    assert.equal(taken.json().code, 'duplicate-file', taken.body)
  })

  it('belong to who began them, whatever the role of others', async (test) => {
    const server = await start(test)
    const roles = await makeRoles(server)
    const url = await begin(server, 'mine.csv', 4, roles.staff)
    const id = url.split('/').at(-1) ?? ''
    assert.equal((await send(server, url, 0, Buffer.from('a,b\n'), roles.staff)).statusCode, 204)
    const absent = `/rest/uploads/${'0'.repeat(32)}`
    for (const method of ['HEAD', 'GET', 'DELETE', 'PATCH'] as const) {
      const headers = { 'content-type': pieceType, 'upload-offset': '0' }
      const payload = method === 'PATCH' ? { payload: Buffer.from('x') } : {}
      const [other, none] = await Promise.all(
        [url, absent].map((path) => call(server, { method, url: path, headers, ...payload })),
      )
      assert.equal(other?.statusCode, 404)
      assert.equal(other?.body.replaceAll(id, '0'.repeat(32)), none?.body)
    }
    const made = await call(server, { method: 'POST', url: '/rest/imports', payload: { import: {} } })
    const tasks = `/rest/imports/${made.json().import.id}/tasks`
    const taken = await call(server, { method: 'POST', url: tasks, payload: { uploads: [id] } })
    assert.deepEqual([taken.statusCode, taken.json().code], [404, 'unknown-upload'])
    assert.deepEqual((await call(server, { method: 'GET' })).json().uploads, [])
    for (const [role, status] of [
      ['anonymous', 401],
      ['user', 403],
    ] as const) {
      const reply = await server.app.inject({ url: '/rest/uploads', method: 'POST', headers: roles[role] })
      assert.equal(reply.statusCode, status)
    }
    const foreign = { origin: 'https://elsewhere.example.org' }
    assert.equal((await call(server, { method: 'POST', headers: foreign })).statusCode, 403)
  })

  it('are only taken whole, once, and with one file for each name', async (test) => {
    const server = await start(test)
    const made = await call(server, { method: 'POST', url: '/rest/imports', payload: { import: {} } })
    const url = `/rest/imports/${made.json().import.id}/tasks`
    const take = (uploads: unknown) => call(server, { method: 'POST', url, payload: { uploads } as object })
    const half = (await begin(server, 'half.geojson', 10)).split('/').at(-1) ?? ''
    assert.equal((await take([half])).json().code, 'upload-incomplete')
    const [one, two] = [
      await whole(server, 'same.geojson', points),
      await whole(server, 'same.geojson', points),
    ]
    assert.equal((await take([one, two])).json().code, 'duplicate-file')
    for (const wrong of [[], 'x', [1], {}]) assert.equal((await take(wrong)).statusCode, 400)
    assert.equal((await take([one, one])).statusCode, 201)
    assert.equal((await take([one])).statusCode, 404)
    const broken = await whole(server, 'broken.zip', Buffer.from('no zip'))
    assert.equal((await take([broken])).statusCode, 400)
    const kept = await call(server, { method: 'GET', url: `/rest/uploads/${broken}` })
    assert.equal(kept.json().upload.offset, 6, 'what could not be imported is still there')
  })

  it('wait within limits, and go a day after their last change', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:00Z')
    const server = await start(test, { TERRANE_MAX_RESUMABLE: '1KiB' }, clock)
    const url = await begin(server, 'a.csv', 1000)
    const headers = { 'upload-length': '100', 'upload-metadata': nameOf('b.csv') }
    const refused = await call(server, { method: 'POST', headers })
    assert.deepEqual([refused.statusCode, refused.json().code], [413, 'uploads-full'])
    clock.advance(23 * 3_600_000)
    assert.equal((await send(server, url, 0, Buffer.from('more'))).statusCode, 204)
    clock.advance(23 * 3_600_000)
    await server.importer.clean()
    assert.equal((await call(server, { method: 'HEAD', url })).statusCode, 200)
    clock.advance(2 * 3_600_000)
    assert.equal((await call(server, { method: 'HEAD', url })).statusCode, 404)
    await server.importer.clean()
    assert.deepEqual(await readdir(join(server.dataDir, 'uploads', 'resumable')), [])
    assert.equal((await call(server, { method: 'POST', headers })).statusCode, 201)
  })

  it('go on after a broken connection, and take one piece at a time', async (test) => {
    const server = await start(test)
    const address = await server.app.listen({ host: '127.0.0.1', port: 0 })
    const url = await begin(server, 'long.csv', 100)
    const open = (offset: number) => {
      const sent = httpRequest(`${address}${url}`, {
        method: 'PATCH',
        headers: {
          ...server.admin,
          'content-type': pieceType,
          'upload-offset': offset,
          'content-length': 100 - offset,
        },
      })
      sent.on('error', () => undefined)
      return sent
    }
    const first = open(0)
    first.write('x'.repeat(40))
    const offset = async () => Number((await call(server, { method: 'HEAD', url })).headers['upload-offset'])
    await until(async () => (await offset()) === 40)
    const second = await send(server, url, 40, Buffer.from('y'.repeat(60)))
    assert.deepEqual([second.statusCode, second.json().code], [409, 'upload-busy'])
    assert.equal((await call(server, { method: 'DELETE', url })).json().code, 'upload-busy')
    first.destroy()
    await until(async () => (await send(server, url, 40, Buffer.from('y'.repeat(60)))).statusCode === 204)
    assert.equal(await offset(), 100)
    await delay(1)
  })

  it('come from tus-js-client, which goes on where the server has come to', async (test) => {
    const server = await start(test)
    const address = await server.app.listen({ host: '127.0.0.1', port: 0 })
    const content = Buffer.alloc(300_000, 'line,of,text\n')
    const upload = (more: Partial<tus.UploadOptions>) =>
      new Promise<string>((resolve, reject) => {
        const one: tus.Upload = new tus.Upload(content, {
          endpoint: `${address}/rest/uploads`,
          headers: server.admin,
          chunkSize: 64 * 1024,
          metadata: { filename: 'größe.csv' },
          onError: reject,
          onSuccess: () => resolve(one.url ?? ''),
          ...more,
        })
        one.start()
      })
    let stopped = ''
    await new Promise<void>((resolve) => {
      const one: tus.Upload = new tus.Upload(content, {
        endpoint: `${address}/rest/uploads`,
        headers: server.admin,
        chunkSize: 64 * 1024,
        metadata: { filename: 'größe.csv' },
        onProgress: (sent) => {
          if (sent < 100_000 || one.url === null) return
          stopped = one.url
          void one.abort().then(() => resolve())
        },
      })
      one.start()
    })
    const url = await upload({ uploadUrl: stopped })
    const shown = await call(server, { method: 'GET', url: new URL(url).pathname })
    assert.deepEqual([shown.json().upload.offset, shown.json().upload.name], [300_000, 'größe.csv'])
    const id = url.split('/').at(-1) ?? ''
    assert.deepEqual(readFileSync(join(server.dataDir, 'uploads', 'resumable', id, 'data')), content)
  })
})
