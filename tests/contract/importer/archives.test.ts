import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { runProgram } from '../../../src/core/process/process.ts'
import { compressedOf, sevenZipOf, tarGzOf, tarOf, zipOf } from '../../support/archives.ts'
import type { Answer, ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, shareImporter, startImporter } from '../../support/importer-client.ts'
import { rawZip } from '../../support/raw-zip.ts'
import { temporaryFolder } from '../../support/unpacking.ts'
import { patience } from '../../support/until.ts'

const geojson = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }],
})
const kml =
  '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>a</name>' +
  '<Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>'
const shapefile = (ending: string): Buffer => readFileSync(`tests/fixtures/shapefile/utf.${ending}`)
const entries = { 'in/points.geojson': geojson, 'notes.xyzzy': 'no data\0' }

/** Each kind of archive over `points.geojson`. */
const kinds: [string, () => Promise<Buffer>][] = [
  ['a.zip', () => zipOf(entries)],
  ['a.gdb.zip', () => zipOf(entries)],
  ['a.tar', () => tarOf(entries)],
  ['a.tar.gz', () => tarGzOf(entries)],
  ['a.tgz', () => tarGzOf(entries)],
  ['a.tar.bz2', async () => compressedOf('bzip2', await tarOf(entries))],
  ['a.tar.xz', async () => compressedOf('xz', await tarOf(entries))],
  ['a.7z', () => sevenZipOf('7z', entries)],
  ['points.geojson.gz', async () => gzipSync(geojson)],
  ['points.geojson.bz2', () => compressedOf('bzip2', geojson)],
  ['points.geojson.xz', () => compressedOf('xz', geojson)],
]

const shared = shareImporter()

async function newImport(client: ImporterClient): Promise<number> {
  return Number((await client.call('POST', '', { import: {} })).json.import?.id)
}

function provide(client: ImporterClient, name: string, content: string | Uint8Array): void {
  mkdirSync(join(client.server.dataDir, 'incoming'), { recursive: true })
  writeFileSync(join(client.server.dataDir, 'incoming', name), content)
}

function fromRoot(client: ImporterClient, file: string): Promise<Answer> {
  return client.call('POST', '', { import: { data: { type: 'file', file } } })
}

/** Lists the uploads of an import that are on disk. */
function keptOf(client: ImporterClient, id: number): string[] {
  const folder = join(client.server.dataDir, 'uploads', String(id))
  return existsSync(folder) ? readdirSync(folder) : []
}

async function messagesOf(client: ImporterClient, id: number): Promise<string> {
  const { json } = await client.call('GET', `/${id}`)
  return listOf<Json>(json.import?.messages)
    .map(({ message }) => String(message))
    .join('\n')
}

async function fileIds(client: ImporterClient, id: number): Promise<string[]> {
  const { json } = await client.call('GET', `/${id}/tasks?expand=all`)
  return listOf<Json>(json.tasks).map((task) => {
    const href = String(task.data?.href)
    return `${String(task.data?.file)} ${href.slice(href.indexOf('/tasks/'))}`
  })
}

describe('an archive', () => {
  it('that is uploaded makes the tasks of its files, whatever kind it is', async () => {
    const client = shared()
    let last = 0
    for (const [name, make] of kinds) {
      const id = await newImport(client)
      last = id
      const answer = await client.upload(id, [{ name, content: await make() }])
      assert.equal(answer.status, 201, `${name}: ${answer.text}`)
      const { task } = answer.json
      assert.deepEqual(
        { state: task?.state, file: task?.data?.file, format: task?.data?.format },
        { state: 'READY', file: 'points.geojson', format: 'GeoJSON' } as unknown,
        name,
      )
      assert.match(String(task?.data?.location), new RegExp(`/uploads/${id}/0(/in)?$`), name)
    }
    assert.equal((await client.call('POST', `/${last}`)).status, 204)
    assert.equal(await countFeatures(client, 'default:points'), 1)
  })

  it('that is sent by PUT under its name is unpacked too', async () => {
    const client = shared()
    const id = await newImport(client)
    const answer = await client.call('PUT', `/${id}/tasks/my%20data.tar.gz`, await tarGzOf(entries), {
      'content-type': 'application/gzip',
    })
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.task?.data?.file, 'points.geojson')
    const listed = await client.call('GET', `/${id}/tasks`)
    assert.deepEqual(
      listOf<Json>(listed.json.tasks).map(({ state }) => state as unknown),
      ['READY'],
    )
  })

  it('of an import root makes the tasks of its files and stays as it is', async (test) => {
    // Lists the import root, into which other tests put files.
    const client = await startImporter(test)
    for (const [name, make] of kinds) {
      const bytes = await make()
      provide(client, name, bytes)
      const answer = await fromRoot(client, name)
      assert.equal(answer.status, 201, `${name}: ${answer.text}`)
      assert.equal(answer.json.import?.state, 'PENDING', name)
      const id = Number(answer.json.import?.id)
      const { json } = await client.call('GET', `/${id}/tasks/0`)
      assert.equal(json.task?.data?.file, 'points.geojson', name)
      const data = await client.call('GET', `/${id}/data`)
      assert.deepEqual({ type: data.json.type, format: data.json.format }, {
        type: 'directory',
        format: 'GeoJSON',
      } as unknown)
      assert.deepEqual(readFileSync(join(client.server.dataDir, 'incoming', name)), bytes)
    }
    assert.deepEqual(readdirSync(join(client.server.dataDir, 'incoming')).length, kinds.length)
  })

  it('may come with others and with files: each keeps its own folder', async () => {
    const client = shared()
    const id = await newImport(client)
    const answer = await client.upload(id, [
      { name: 'north.zip', content: await zipOf({ 'points.geojson': geojson }) },
      { name: 'south.tar.gz', content: await tarGzOf({ '2020/points.geojson': geojson }) },
      { name: 'south.csv', content: 'x,y\n1,2\n' },
    ])
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(await fileIds(client, id), [
      'points.geojson /tasks/0/data',
      'south.csv /tasks/1/data',
      'points.geojson /tasks/2/data',
    ])
    const { json } = await client.call('GET', `/${id}/tasks?expand=all`)
    const folders = listOf<Json>(json.tasks).map(({ data }) => String(data?.location).split(`/${id}/0`)[1])
    assert.deepEqual(folders, ['/north', '', '/south/2020'])
  })

  it('may hold one file of a dataset whose others are packed beside it', async () => {
    const client = shared()
    const id = await newImport(client)
    const parts = ['shp', 'shx', 'dbf', 'prj'].map((ending) => ({
      name: `utf.${ending}.gz`,
      content: gzipSync(shapefile(ending)),
    }))
    const answer = await client.upload(id, parts)
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.task?.data?.file, 'utf.shp')
    assert.equal(answer.json.task?.data?.prj, 'utf.prj')
    assert.equal(answer.json.task?.state, 'READY')
  })

  it('of KML gives its documents and leaves its pictures', async () => {
    const client = shared()
    const id = await newImport(client)
    const picture = readFileSync('tests/fixtures/archives/mixedcase.zip')
    const content = await zipOf({ 'doc.kml': kml, 'files/icon.png': picture, 'files/more.zip': picture })
    const answer = await client.upload(id, [{ name: 'places.kmz', content }])
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.task?.data?.file, 'doc.kml')
    assert.equal(answer.json.task?.data?.format, 'KML')
    assert.doesNotMatch(await messagesOf(client, id), /icon|more\.zip/)
  })

  it('of a File Geodatabase is read with its folder and without it', async (test) => {
    const client = shared()
    const folder = await temporaryFolder(test)
    const table = ['tests/fixtures/geojson/valid.geojson', '-nln', 'places']
    await runProgram('ogr2ogr', ['-f', 'OpenFileGDB', join(folder, 'x.gdb'), ...table])
    const named = (prefix: string) =>
      readdirSync(join(folder, 'x.gdb')).map((name) => ({
        name: `${prefix}${name}`,
        content: readFileSync(join(folder, 'x.gdb', name)),
      }))
    for (const [name, content, file] of [
      ['all.gdb.zip', await zipOf(named('x.gdb/')), 'x.gdb'],
      ['y.gdb.zip', await zipOf(named('')), 'y.gdb'],
    ] as const) {
      const id = await newImport(client)
      const answer = await client.upload(id, [{ name, content }])
      assert.equal(answer.status, 201, answer.text)
      const { task } = answer.json
      assert.deepEqual({ state: task?.state, file: task?.data?.file }, { state: 'READY', file } as unknown)
    }
  })

  it('inside an archive is not opened, and a message says so', async () => {
    const client = shared()
    const id = await newImport(client)
    const inner = await zipOf({ 'hidden.geojson': geojson })
    const answer = await client.upload(id, [
      { name: 'outer.zip', content: await zipOf({ 'points.geojson': geojson, 'more/inner.zip': inner }) },
    ])
    assert.equal(answer.json.task?.data?.file, 'points.geojson')
    assert.match(
      await messagesOf(client, id),
      /"more\/inner\.zip" is an archive inside an archive.*"outer\.zip"/,
    )
  })
})

describe('an archive that is broken or means harm', () => {
  const zeros = Buffer.alloc(3 << 20)
  const hostile: [string, () => Promise<Buffer>, RegExp][] = [
    ['a.zip', async () => rawZip([{ name: '../x.geojson', content: geojson }]), /leads out of its folder/],
    ['a.tar', () => tarOf({ '../../x.geojson': geojson }), /leads out of its folder/],
    ['a.tgz', () => tarGzOf({ '/tmp/x.geojson': geojson }), /absolute path/],
    ['a.tar', () => tarOf({ link: '' }, { type: 'symlink', linkname: '/etc/passwd' }), /it is a link/],
    ['a.csv.gz', async () => gzipSync(zeros), /more than 200 times its size/],
    ['a.csv.xz', () => compressedOf('xz', zeros), /more than 200 times its size/],
    ['a.7z', () => sevenZipOf('7z', { zeros }), /more than 200 times its size/],
    [
      'a.7z',
      () => sevenZipOf('7z', { 'a.csv': geojson }, ['-psecret']),
      /encrypted: pack it without a password/,
    ],
    ['a.tar.bz2', async () => Buffer.from('BZh9 and no more'), /is not a readable tar\.bz2 archive/],
    ['a.zip.001', async () => Buffer.from('PK'), /join the parts/],
    ['a.rar', async () => Buffer.from('Rar!'), /a rar archive, which is not supported: use zip/],
  ]

  it('is refused at upload with 400, keeps nothing and leaves the import as it was', async () => {
    const client = shared()
    const id = await newImport(client)
    for (const [name, make, why] of hostile) {
      const good = { name: 'good.geojson', content: geojson }
      const answer = await client.upload(id, [good, { name, content: await make() }])
      assert.equal(answer.status, 400, `${name}: ${answer.text}`)
      assert.match(String(answer.json.detail), new RegExp(`"${name.replaceAll('.', '\\.')}"`))
      assert.match(String(answer.json.detail), why)
      assert.deepEqual(keptOf(client, id), [], name)
    }
    const { json } = await client.call('GET', `/${id}`)
    assert.equal(json.import?.state, 'PENDING')
    assert.deepEqual(json.import?.tasks as unknown, [])
    assert.deepEqual(existsSync(join(client.server.dataDir, 'uploads', 'x.geojson')), false)
  })

  it('makes an import INIT_ERROR with the reason and keeps nothing', async () => {
    const client = shared()
    for (const [name, make, why] of hostile) {
      provide(client, name, await make())
      const answer = await fromRoot(client, name)
      assert.equal(answer.status, 201, `${name}: ${answer.text}`)
      assert.equal(answer.json.import?.state, 'INIT_ERROR', name)
      assert.match(String(answer.json.import?.message), why)
      assert.deepEqual(keptOf(client, Number(answer.json.import?.id)), [], name)
    }
  })
})

describe('data without content', () => {
  it('is an empty folder: the import is PENDING and says that no files were found', async () => {
    const client = shared()
    mkdirSync(join(client.server.dataDir, 'incoming', 'nothing'), { recursive: true })
    const answer = await client.call('POST', '', {
      import: { data: { type: 'directory', location: 'nothing' } },
    })
    assert.equal(answer.json.import?.state, 'PENDING')
    assert.deepEqual(answer.json.import?.tasks as unknown, [])
    assert.match(await messagesOf(client, Number(answer.json.import?.id)), /No files were found/)
  })

  it('is an empty file: the task is NO_FORMAT and says that it is empty', async () => {
    const client = shared()
    const id = await newImport(client)
    const answer = await client.upload(id, [
      { name: 'empty.xyzzy', content: '' },
      { name: 'other.xyzzy', content: 'text\0' },
    ])
    assert.equal(answer.json.task?.state, 'NO_FORMAT')
    assert.match(
      String(answer.json.task?.messages?.[0]?.message),
      /No known format can read other\.xyzzy \(binary data\)\. Empty files: empty\.xyzzy/,
    )
    assert.equal(answer.json.task?.layer, undefined)
  })

  it('makes no task where uploads are still to come, also when created asynchronously', async () => {
    const client = shared()
    const created = await client.call('POST', '?async=true', { import: { data: { type: 'directory' } } })
    const path = `/${created.json.import?.id}`
    for (const hasTime = patience(); hasTime(); ) {
      if (String((await client.call('GET', path)).json.import?.state) !== 'INIT') break
      // Requests without a socket leave the event loop no time for file operations.
      await sleep(5)
    }
    const { json } = await client.call('GET', path)
    assert.equal(json.import?.state, 'PENDING')
    assert.deepEqual(json.import?.tasks as unknown, [])
  })
})
