import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import yazl from 'yazl'
import {
  assertCount,
  assertNothingPublished,
  collection,
  feature,
  loadFiles,
  newImport,
  publishedLayers,
  shapefileParts,
  startWithTarget,
  uploadedFiles,
} from '../../support/bad-input.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const points = collection(feature({ a: 1 }))
const link = 0o120777

interface Entry {
  name: string
  content: string | Uint8Array
  mode?: number
}

function zip(...entries: Entry[]): Promise<Buffer> {
  const archive = new yazl.ZipFile()
  for (const { name, content, mode } of entries)
    archive.addBuffer(Buffer.from(content), name, mode === undefined ? {} : { mode })
  archive.end()
  return buffer(archive.outputStream)
}

/** A zip whose only entry has a name that no writer of archives lets through, of ten characters. */
async function zipUnder(name: string): Promise<Buffer> {
  const plain = await zip({ name: 'a'.repeat(10), content: points })
  return Buffer.from(plain.toString('latin1').replaceAll('a'.repeat(10), name), 'latin1')
}

/** Returns the states and uploads of an import, which a refused upload must not change. */
async function pictureOf(client: ImporterClient, id: number): Promise<object> {
  const { json } = await client.call('GET', `/${id}`)
  return { state: json.import?.state, tasks: json.import?.tasks, files: uploadedFiles(client, id) }
}

describe('an archive that is broken or means harm', () => {
  it('is refused with the entry and the reason, keeps nothing, and leaves the import as it was', async (t) => {
    const client = await startWithTarget(t)
    const whole = await zip({ name: 'a.geojson', content: points })
    const refused: [string, Buffer, RegExp][] = [
      ['slip', await zipUnder('../x.jsonx'), /"d\.zip".*"\.\.\/x\.jsonx".*leads out of its folder/],
      ['absolute', await zipUnder('/etc/x.jso'), /"\/etc\/x\.jso".*absolute path/],
      ['backslash', await zipUnder('..\\x.jsonx'), /leads out of its folder/],
      ['drive', await zipUnder('C:\\x.jsonx'), /absolute path/],
      [
        'link',
        await zip({ name: 'l.geojson', content: '/etc/passwd', mode: link }),
        /"l\.geojson".*is a link/,
      ],
      [
        'bomb',
        await zip({ name: 'b.csv', content: Buffer.alloc(2e7, 'a') }),
        /"d\.zip" expands to more than 200 times/,
      ],
      [
        'twice',
        await zip({ name: 'a.csv', content: '1' }, { name: 'a.csv', content: '2' }),
        /another entry has its name/,
      ],
      ['cut', whole.subarray(0, whole.length - 30), /"d\.zip" is not a readable zip archive/],
      ['a web page', Buffer.from('<html>not found</html>'), /"d\.zip" is not a readable zip archive/],
      ['empty', Buffer.alloc(0), /"d\.zip" is not a readable zip archive/],
    ]
    const id = await newImport(client)
    const before = await pictureOf(client, id)
    for (const [name, content, message] of refused) {
      const answer = await client.upload(id, [{ name: 'd.zip', content }])
      assert.equal(answer.status, 400, `${name}: ${answer.text}`)
      assert.match(String(answer.json.detail), message, name)
      assert.deepEqual(await pictureOf(client, id), before, name)
    }
    const other = await client.upload(id, [{ name: 'd.tar.gz', content: 'x' }])
    assert.match(String(other.json.detail), /"d\.tar\.gz" is not a readable tar\.gz archive/)
    assert.ok(!readdirSync(join(client.server.dataDir, '..')).includes('x.jsonx'))
    await assertNothingPublished(client)
  })

  it('is taken when it holds two Shapefiles: a task and a layer for each', async (t) => {
    const client = await startWithTarget(t)
    const parts = [...shapefileParts({}, 'north'), ...shapefileParts({}, 'sub/south')]
    const loaded = await loadFiles(client, [{ name: 'two.zip', content: await zip(...parts) }])
    assert.equal(loaded.import.state, 'COMPLETE')
    assert.deepEqual(await publishedLayers(client), ['default:north', 'default:south'])
    await assertCount(client, 'default:north', 51)
    await assertCount(client, 'default:south', 51)
  })
})

describe('an upload without data', () => {
  it('makes one task in NO_FORMAT that says so', async (t) => {
    const client = await startWithTarget(t)
    const uploads = [
      { name: 'empty.zip', content: await zip() },
      { name: 'hidden.zip', content: await zip({ name: '.DS_Store', content: 'x' }) },
      { name: '.geojson', content: points },
      { name: 'outer.zip', content: await zip({ name: 'inner.zip', content: await zip() }) },
    ]
    for (const upload of uploads) {
      const { id, task, messages, runStatus } = await loadFiles(client, [upload])
      assert.equal(task.state, 'NO_FORMAT', upload.name)
      assert.match(messages, /contains only hidden files/)
      assert.equal(runStatus, 409)
      for (const path of ['data', 'data/files', 'target', 'layer', 'transforms', 'progress', 'rejects'])
        assert.ok((await client.call('GET', `/${id}/tasks/0/${path}`)).status < 500, path)
    }
    await assertNothingPublished(client)
  })
})

describe('an upload that breaks off', () => {
  it('keeps nothing, leaves the import as it was, and the server goes on', async (t) => {
    const client = await startWithTarget(t)
    const address = new URL(await client.server.app.listen({ host: '127.0.0.1', port: 0 }))
    const id = await newImport(client)
    const before = await pictureOf(client, id)
    const requests = [
      [
        `POST /rest/imports/${id}/tasks`,
        'multipart/form-data; boundary=b',
        '--b\r\ncontent-disposition: form-data; name="f"; filename="a.geojson"\r\n\r\n{"type":"Feature',
      ],
      [
        `PUT /rest/imports/${id}/tasks/a.geojson`,
        'application/geo+json',
        '{"type":"FeatureCollection","features":[',
      ],
    ]
    for (const [start, type, body] of requests) {
      const socket = connect(Number(address.port), address.hostname)
      socket.on('error', () => {})
      socket.write(`${start} HTTP/1.1\r\nhost: x\r\nauthorization: ${client.server.admin.authorization}\r\n`)
      socket.write(`content-type: ${type}\r\ncontent-length: 1000000\r\n\r\n${body}`)
      await until(() => uploadedFiles(client, id).length > 0)
      socket.destroy()
      await until(() => uploadedFiles(client, id).length === 0)
      await sleep(50)
      assert.deepEqual(await pictureOf(client, id), before, start)
    }
    assert.equal((await client.upload(id, [{ name: 'a.geojson', content: points }])).status, 201)
  })
})

describe('an import that cannot be', () => {
  it('is refused for paths outside the import roots, by any way, and is not made', async (t) => {
    const client = await startWithTarget(t)
    const incoming = join(client.server.dataDir, 'incoming')
    const outside = temporaryData(t)
    writeFileSync(join(outside, 'secret.geojson'), points)
    symlinkSync(join(outside, 'secret.geojson'), join(incoming, 'link.geojson'))
    symlinkSync(outside, join(incoming, 'folder'))
    symlinkSync(join(incoming, 'loop'), join(incoming, 'loop'))
    const data = [
      { type: 'file', file: '/etc/passwd' },
      { type: 'file', file: '../terrane.sqlite' },
      { type: 'file', file: join(client.server.dataDir, 'secret.key') },
      { type: 'file', file: 'link.geojson' },
      { type: 'file', file: 'folder/secret.geojson' },
      { type: 'directory', location: 'folder' },
      { type: 'directory', location: 'loop' },
      { type: 'directory', location: '/' },
    ]
    for (const one of data) {
      const answer = await client.call('POST', '', { import: { data: one } })
      assert.equal(answer.status, 400, `${JSON.stringify(one)}: ${answer.text}`)
      assert.match(String(answer.json.detail), /outside the import folders.*TERRANE_IMPORT_ROOTS/)
    }
    assert.deepEqual((await client.call('GET', '')).json, { imports: [] })
  })

  it('never follows a link out of a folder that is scanned', async (t) => {
    const client = await startWithTarget(t)
    const folder = join(client.server.dataDir, 'incoming', 'mixed')
    const outside = temporaryData(t)
    mkdirSync(folder)
    writeFileSync(join(outside, 'secret.geojson'), points)
    writeFileSync(join(folder, 'mine.geojson'), points)
    symlinkSync(join(outside, 'secret.geojson'), join(folder, 'link.geojson'))
    symlinkSync(outside, join(folder, 'sub'))
    const { json } = await client.call('POST', '', {
      import: { data: { type: 'directory', location: 'mixed' } },
    })
    const id = Number(json.import?.id)
    const listed = await client.call('GET', `/${id}/data/files`)
    assert.match(listed.text, /mine\.geojson/)
    assert.doesNotMatch(listed.text, /secret|link/)
  })

  it('is refused for names, types and encodings that do not exist, and is not made', async (t) => {
    const client = await startWithTarget(t)
    const refused: [object, RegExp][] = [
      [{ targetWorkspace: { workspace: { name: 'nowhere' } } }, /Workspace "nowhere" does not exist/],
      [
        { targetStore: { dataStore: { name: 'nothing' } } },
        /Store "nothing" does not exist in workspace "default"/,
      ],
      [{ data: { type: 'bogus' } }, /data type "bogus"/],
      [{ data: { type: 'database' } }, /command line: terrane import --database/],
      [{ data: { type: 'file', file: 5 } }, /"import\.data\.file" must be string, found 5/],
      [{ data: { type: 'file', file: 'a\u0000b' } }, /null character/],
      [
        { data: { type: 'file', file: 'a.csv', charset: 'klingon' } },
        /"klingon" is not a known text encoding/,
      ],
      [{ transforms: [{ type: 'Bogus' }] }, /Unknown transformation type "Bogus"/],
    ]
    for (const [expected, message] of refused) {
      const answer = await client.call('POST', '', { import: expected })
      assert.equal(answer.status, 400, answer.text)
      assert.match(String(answer.json.detail), message)
    }
    for (const body of ['{', '[]', '"x"', '{"import":5}', `{"import":${'['.repeat(1000)}`])
      assert.equal((await client.call('POST', '', body)).status, 400, body.slice(0, 20))
    assert.deepEqual((await client.call('GET', '')).json, { imports: [] })
  })

  it('stands in INIT_ERROR with the path where there is no such file, and has no task in an empty folder', async (t) => {
    const client = await startWithTarget(t)
    const incoming = join(client.server.dataDir, 'incoming')
    mkdirSync(join(incoming, 'nothing'))
    mkdirSync(join(incoming, 'words'))
    writeFileSync(join(incoming, 'words', 'readme.txt'), 'no data here')
    const create = async (data: object) =>
      (await client.call('POST', '?expand=2', { import: { data } })).json.import
    const missing = await create({ type: 'file', file: 'missing.shp' })
    assert.equal(missing?.state, 'INIT_ERROR')
    assert.match(String(missing?.message), /File or folder ".*missing\.shp" does not exist/)
    const empty = await create({ type: 'directory', location: 'nothing' })
    assert.equal(empty?.state, 'PENDING')
    assert.deepEqual(empty?.tasks, [])
    const run = await client.call('POST', `/${empty?.id}`)
    assert.equal(run.status, 409)
    assert.match(run.text, /has no tasks: upload data first/)
    const words = await create({ type: 'directory', location: 'words' })
    assert.equal(words?.tasks?.[0]?.state, 'NO_FORMAT')
    assert.match((await client.call('GET', `/${words?.id}/tasks/0`)).text, /reads readme\.txt/)
  })
})

describe('a run that may not be', () => {
  it('ends in ERROR beyond rejectLimit and leaves the target as it was', async (t) => {
    const client = await startWithTarget(t)
    const rows = (bad: number, count = 100): string =>
      `a,wkt\n${Array.from({ length: count }, (_, i) => `${i},POINT (${i < bad ? 'x' : i} 5)\n`).join('')}`
    const load = (bad: number, task: object) =>
      loadFiles(client, [{ name: 'p.csv', content: rows(bad) }], { srs: 'EPSG:4326', task })
    const refused = await load(6, {})
    assert.equal(refused.task.state, 'ERROR')
    assert.match(
      String(refused.task.errorMessage),
      /6 of 100 rows were rejected, more than the 5 that rejectLimit allows/,
    )
    assert.equal(refused.import.state, 'COMPLETE_ERROR')
    await assertNothingPublished(client)
    assert.equal((await load(5, {})).task.state, 'COMPLETE')
    await assertCount(client, 'default:p', 95)
    for (const updateMode of ['REPLACE', 'APPEND']) {
      const again = await load(20, { updateMode, rejectLimit: 19 })
      assert.equal(again.task.state, 'ERROR', JSON.stringify(again.task))
      assert.match(String(again.task.errorMessage), /20 of 100 rows were rejected, more than the 19/)
      await assertCount(client, 'default:p', 95)
    }
    assert.match(String((await load(1, { updateMode: 'REPLACE' })).task.errorMessage), /more than the 0/)
    assert.equal((await load(20, { updateMode: 'APPEND', rejectLimit: 20 })).task.state, 'COMPLETE')
    await assertCount(client, 'default:p', 175)
  })

  it('is refused with 409 while the same import runs, and so is an upload', async (t) => {
    const client = await startWithTarget(t)
    const id = await newImport(client)
    const lines = Array.from({ length: 100_000 }, (_, i) => JSON.stringify(feature({ a: i })))
    await client.upload(id, [{ name: 'many.ndjson', content: lines.join('\n') }])
    const running = client.call('POST', `/${id}`)
    await waitForState(client, id, 'RUNNING')
    const answers = [
      await client.call('POST', `/${id}`),
      await client.call('POST', `/${id}?async=true`),
      await client.upload(id, [{ name: 'more.geojson', content: points }]),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 409, answer.text)
      assert.match(String(answer.json.detail), new RegExp(`Import ${id} is RUNNING`))
    }
    assert.equal((await running).status, 204)
    await assertCount(client, 'default:many', lines.length)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    await assertCount(client, 'default:many', lines.length)
  })
})

async function waitForState(client: ImporterClient, id: number, state: string): Promise<void> {
  await until(async () => String((await client.call('GET', `/${id}`)).json.import?.state) === state)
}
