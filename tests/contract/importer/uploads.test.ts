import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { ZipFile } from 'yazl'
import type { FilePart, ImporterClient } from '../../support/importer-client.ts'
import {
  countFeatures,
  listOf,
  multipart,
  multipartType,
  shareImporter,
  startImporter,
} from '../../support/importer-client.ts'

const fixtures = 'tests/fixtures'
const read = (path: string): Buffer => readFileSync(join(fixtures, path))
const part = (path: string, name = path.slice(path.lastIndexOf('/') + 1)): FilePart => ({
  name,
  content: read(path),
})

async function zipOf(entries: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return buffer(zip.outputStream as unknown as Readable)
}

const shared = shareImporter()

async function newImport(client: ImporterClient): Promise<number> {
  return (await client.call('POST', '', { import: {} })).json.import?.id as unknown as number
}

function uploadsOf(client: ImporterClient, id: number): string[] {
  const folder = join(client.server.dataDir, 'uploads', String(id))
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : []
}

const states = (json: { tasks?: unknown }): string[] =>
  (json.tasks as { state: string }[]).map((task) => task.state)

describe('upload', () => {
  it('groups the files of one form by base name into one task', async () => {
    const client = shared()
    const id = await newImport(client)
    const files = ['shp', 'shx', 'dbf', 'prj'].map((ext) =>
      part(`shapefile/ne_110m_admin_0_boundary_lines_land.${ext}`),
    )
    const answer = await client.upload(id, files, { name: 'test' })
    assert.equal(answer.status, 201)
    const task = answer.json.task
    assert.equal(answer.headers.location, task?.href)
    assert.equal(task?.state, 'READY')
    assert.equal(task?.data?.format, 'Shapefile')
    assert.equal(task?.data?.prj, 'ne_110m_admin_0_boundary_lines_land.prj')
    assert.deepEqual(task?.data?.other, [
      'ne_110m_admin_0_boundary_lines_land.dbf',
      'ne_110m_admin_0_boundary_lines_land.shx',
    ])
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal(await countFeatures(client, 'default:ne_110m_admin_0_boundary_lines_land'), 185)
    assert.deepEqual(uploadsOf(client, id), [], 'uploads go when the import is complete')
  })

  it('answers several tasks as a list, in the order of their paths', async () => {
    const client = shared()
    const id = await newImport(client)
    const csv = 'a,b\n1,2\n'
    const answer = await client.upload(id, [
      { name: 'b.csv', content: csv },
      { name: 'C.csv', content: csv },
      { name: 'a.csv', content: csv },
    ])
    assert.equal(answer.status, 201)
    assert.match(String(answer.headers.location), new RegExp(`/rest/imports/${id}/tasks$`))
    const names = (answer.json.tasks as unknown as { layer: { name: string } }[]).map((one) => one.layer.name)
    assert.deepEqual(names, ['a', 'b', 'C'])
  })

  it('keeps the folders of a folder that is sent whole, so that files of one name stay apart', async () => {
    const client = shared()
    const id = await newImport(client)
    const csv = (name: string): FilePart => ({ name, content: 'a,b\n1,2\n' })
    const answer = await client.upload(id, [csv('north/roads.csv'), csv('south/roads.csv'), csv('a/b/c.csv')])
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(states(answer.json).length, 3)
    assert.deepEqual(
      uploadsOf(client, id)
        .filter((path) => path.endsWith('.csv'))
        .map((path) => path.replace(/^\d+\//, '')),
      ['a/b/c.csv', 'north/roads.csv', 'south/roads.csv'],
    )
  })

  it('takes the last part of absolute paths and of paths that lead out, and refuses what cannot be kept', async () => {
    const client = shared()
    const id = await newImport(client)
    const csv = (name: string): FilePart => ({ name, content: 'a,b\n1,2\n' })
    const outside = [
      '/etc/cron.d/one.csv',
      'C:\\data\\two.csv',
      '../../three.csv',
      'a/../../../four.csv',
      './five.csv',
    ]
    assert.equal((await client.upload(id, outside.map(csv))).status, 201)
    assert.deepEqual(
      uploadsOf(client, id)
        .filter((path) => path.endsWith('.csv'))
        .map((path) => path.replace(/^\d+\//, '')),
      ['five.csv', 'four.csv', 'one.csv', 'three.csv', 'two.csv'],
    )
    for (const [names, code] of [
      [['x/y.csv', 'x/y.csv'], 'duplicate-file'],
      [['x.csv', 'x.csv/y.csv'], 'duplicate-file'],
      [['x.csv/y.csv', 'x.csv'], 'duplicate-file'],
      [['con/y.csv'], 'invalid-file-name'],
      [[`${'d/'.repeat(600)}y.csv`], 'invalid-file-name'],
      [[`${'d'.repeat(300)}/y.csv`], 'invalid-file-name'],
    ] as const) {
      const before = uploadsOf(client, id)
      const answer = await client.upload(id, names.map(csv))
      assert.deepEqual([answer.status, answer.json.code], [400, code], names.join())
      assert.deepEqual(uploadsOf(client, id), before, 'nothing of it is kept')
    }
  })

  it('unpacks a zip and treats it as a directory', async () => {
    const client = shared()
    const id = await newImport(client)
    const answer = await client.upload(id, [part('archives/mixedcase.zip')])
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.task?.data?.file, 'senate.shp')
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal((await client.call('GET', `/${id}`)).json.import?.state, 'COMPLETE')
  })

  it('never makes tasks for earlier files again and goes on counting their ids', async () => {
    const client = shared()
    const id = await newImport(client)
    await client.upload(id, [{ name: 'a.csv', content: 'x\n1\n' }])
    await client.call('DELETE', `/${id}/tasks/0`)
    const second = await client.upload(id, [{ name: 'b.csv', content: 'x\n1\n' }])
    assert.equal(second.json.task?.id, 1)
    const listed = await client.call('GET', `/${id}/tasks`)
    assert.deepEqual(states(listed.json), ['NO_CRS'])
  })

  it('makes one NO_FORMAT task that names what nothing reads', async () => {
    const client = shared()
    const id = await newImport(client)
    const answer = await client.upload(id, [{ name: 'notes.xyzzy', content: 'hello\u0000world' }])
    assert.equal(answer.status, 201)
    assert.equal(answer.json.task?.state, 'NO_FORMAT')
    assert.equal(answer.json.task?.layer, undefined)
    assert.equal(answer.json.task?.target, undefined)
    assert.equal(answer.json.task?.data?.format, null)
    assert.match(String(answer.json.task?.messages?.[0]?.message), /notes\.xyzzy/)
  })

  it('takes one file by PUT under any name that is not a number', async () => {
    const client = shared()
    const id = await newImport(client)
    for (const type of ['application/octet-stream', 'application/json']) {
      const answer = await client.call('PUT', `/${id}/tasks/points.json`, read('geojson/valid.geojson'), {
        'content-type': type,
      })
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.json.task?.data?.file, 'points.json')
      assert.equal(answer.json.task?.state, 'READY')
    }
  })

  it('takes the path of a file in an import root by the form parameter url', async () => {
    const client = shared()
    const id = await newImport(client)
    client.provide('geojson/valid.geojson')
    const form = (url: string) =>
      client.call('POST', `/${id}/tasks`, `url=${encodeURIComponent(url)}`, {
        'content-type': 'application/x-www-form-urlencoded',
      })
    const answer = await form('valid.geojson')
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.task?.state, 'READY')
    const outside = await form('file:///etc/passwd')
    assert.equal(outside.status, 400)
    assert.match(outside.text, /TERRANE_IMPORT_ROOTS/)
    assert.equal((await form('https://example.org/a.zip')).status, 400)
    assert.deepEqual(states((await client.call('GET', `/${id}/tasks`)).json), ['READY'])
  })

  for (const [what, name, content] of [
    ['a broken zip', 'broken.zip', Buffer.from('PK\u0003\u0004 this is not an archive')],
    ['a broken tar.gz', 'x.tar.gz', Buffer.from('anything')],
    ['a file name that leads out', '..', Buffer.from('a\n1\n')],
  ] as const) {
    it(`refuses ${what} with 400 and keeps nothing`, async () => {
      const client = shared()
      const id = await newImport(client)
      const answer = await client.upload(id, [{ name, content }])
      assert.equal(answer.status, 400, answer.text)
      assert.equal((await client.call('GET', `/${id}`)).json.import?.state, 'PENDING')
      assert.deepEqual(uploadsOf(client, id), [])
    })
  }

  it('refuses a zip whose entry leads out of its folder', async () => {
    const client = shared()
    const id = await newImport(client)
    const bytes = (await zipOf({ 'qqqqq.csv': 'a\n1\n' }))
      .toString('latin1')
      .replaceAll('qqqqq.csv', '../x1.csv')
    const answer = await client.upload(id, [{ name: 'a.zip', content: Buffer.from(bytes, 'latin1') }])
    assert.equal(answer.status, 400)
    assert.match(answer.text, /leads out/)
    assert.ok(!existsSync(join(client.server.dataDir, 'uploads', String(id), 'x1.csv')))
  })

  it('refuses a form that breaks off, keeps nothing and leaves the state', async () => {
    const client = shared()
    const id = await newImport(client)
    const whole = multipart([{ name: 'a.csv', content: 'x,y\n1,2\n'.repeat(1000) }])
    const answer = await client.call('POST', `/${id}/tasks`, whole.subarray(0, whole.length - 500), {
      'content-type': multipartType,
    })
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(uploadsOf(client, id), [])
    assert.equal((await client.call('GET', `/${id}`)).json.import?.state, 'PENDING')
  })

  it('refuses more bytes than an upload may have', async (test) => {
    // The limit is a setting of the server.
    const client = await startImporter(test, { env: { TERRANE_MAX_UPLOAD: '1000' } })
    const id = await newImport(client)
    const files = ['a', 'b'].map((name) => ({ name: `${name}.csv`, content: 'x'.repeat(600) }))
    assert.equal((await client.upload(id, files)).status, 413)
    assert.equal((await client.call('PUT', `/${id}/tasks/c.csv`, 'x'.repeat(1200))).status, 413)
    const chunked = { 'transfer-encoding': 'chunked', 'content-length': '' }
    assert.equal((await client.call('PUT', `/${id}/tasks/d.csv`, 'x'.repeat(1200), chunked)).status, 413)
    const form = multipart(files)
    const sent = await client.call('POST', `/${id}/tasks`, form, {
      'content-type': multipartType,
      ...chunked,
    })
    assert.equal(sent.status, 413)
    assert.deepEqual(uploadsOf(client, id), [])
  })

  it('answers 415 for other content types and 400 for a form without file', async () => {
    const client = shared()
    const id = await newImport(client)
    assert.equal((await client.call('POST', `/${id}/tasks`, { a: 1 })).status, 415)
    assert.equal((await client.upload(id, [], { name: 'test' })).status, 400)
    assert.equal((await client.upload(7777, [{ name: 'a.csv', content: 'x\n1\n' }])).status, 404)
  })

  it('takes a COMPLETE import back to PENDING', async () => {
    const client = shared()
    const id = await newImport(client)
    await client.upload(id, [part('geojson/valid.geojson')])
    await client.call('POST', `/${id}`)
    assert.equal((await client.call('GET', `/${id}`)).json.import?.state, 'COMPLETE')
    await client.upload(id, [part('geojson/valid.geojson')])
    assert.equal((await client.call('GET', `/${id}`)).json.import?.state, 'PENDING')
    await client.call('POST', `/${id}`)
    const done = await client.call('GET', `/${id}?expand=2`)
    assert.equal(done.json.import?.state, 'COMPLETE')
    assert.deepEqual(
      listOf<{ layer: { name: string } }>(done.json.import?.tasks)
        .map((task) => task.layer.name)
        .sort(),
      ['valid', 'valid0'],
    )
  })

  it('fills a directory import that was created without location', async () => {
    const client = shared()
    const created = await client.call('POST', '', { import: { data: { type: 'directory' } } })
    assert.equal(created.json.import?.state, 'PENDING')
    const id = created.json.import?.id as unknown as number
    await client.upload(id, [part('geojson/valid.geojson')])
    const data = await client.call('GET', `/${id}/data`)
    assert.equal(data.json.type, 'directory')
    assert.equal(data.json.files?.[0]?.file, 'valid.geojson')
  })
})
