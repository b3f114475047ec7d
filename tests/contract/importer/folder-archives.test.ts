import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sevenZipOf, tarGzOf, zipOf } from '../../support/archives.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, startImporter } from '../../support/importer-client.ts'
import { rawZip } from '../../support/raw-zip.ts'

const geojson = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }],
})
const kml =
  '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>a</name><Point><coordinates>1,2</coordinates></Point></Placemark></kml>'
const shapefile = (ending: string): Buffer => readFileSync(`tests/fixtures/shapefile/utf.${ending}`)

async function startWith(
  test: TestContext,
  files: Record<string, string | Uint8Array>,
  env: Record<string, string> = {},
): Promise<{ client: ImporterClient; root: string }> {
  const client = await startImporter(test, { env })
  const root = join(client.server.dataDir, 'incoming', 'folder')
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  return { client, root }
}

async function create(client: ImporterClient, data: object = {}): Promise<Json> {
  const answer = await client.call('POST', '?expand=2', {
    import: { data: { type: 'directory', location: 'folder', ...data } },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.import ?? assert.fail()
}

const messagesOf = (record: Json): string => JSON.stringify(record.messages ?? [])
const layersOf = (record: Json): string[] => listOf(record.tasks).map(({ layer }) => String(layer?.name))

describe('archives in a folder of an import root', () => {
  it('are opened like those that are uploaded, in the order of their paths, and the folder stays as it is', async (test) => {
    const files = {
      'd.geojson': geojson,
      'b/places.kmz': await zipOf({ 'doc.kml': kml, 'icon.png': 'x' }),
      'c.zip': await zipOf({ 'in/lines.geojson': geojson }),
      'C.tgz': await tarGzOf({ 'points.geojson': geojson }),
      'a.7z': await sevenZipOf('7z', { 'seven.geojson': geojson }),
    }
    const { client, root } = await startWith(test, files)
    const before = readdirSync(root, { recursive: true }).sort()
    const record = await create(client)
    assert.deepEqual(layersOf(record), ['seven', 'doc', 'lines', 'points', 'd'])
    assert.equal(record.messages, undefined, messagesOf(record))
    await client.call('POST', '/0')
    const done = (await client.call('GET', '/0?expand=2')).json.import
    assert.equal(done?.state, 'COMPLETE', JSON.stringify(done))
    for (const layer of layersOf(done ?? {})) assert.equal(await countFeatures(client, `default:${layer}`), 1)
    assert.deepEqual(readdirSync(root, { recursive: true }).sort(), before)
    assert.equal((await client.call('DELETE', '/0')).status, 200)
    assert.ok(!existsSync(join(client.server.dataDir, 'uploads', '0')))
  })

  it('that hold one file each make one dataset, with what lies beside them', async (test) => {
    const { client } = await startWith(test, {
      'utf.shp.gz': gzipSync(shapefile('shp')),
      'utf.shx.gz': gzipSync(shapefile('shx')),
      'utf.dbf.gz': gzipSync(shapefile('dbf')),
      'utf.shp.prj': shapefile('prj'),
    })
    const record = await create(client)
    assert.deepEqual(layersOf(record), ['utf'], JSON.stringify(record))
  })

  it('inside an archive stay closed; a broken one is named and the rest goes on', async (test) => {
    const { client } = await startWith(test, {
      'a.zip': await zipOf({ 'inner.zip': await zipOf({ 'x.geojson': geojson }), 'y.geojson': geojson }),
      'b.zip': 'no zip',
      'c.rar': 'no rar',
      'd.geojson': geojson,
    })
    const record = await create(client)
    assert.deepEqual(layersOf(record), ['y', 'd'])
    assert.match(messagesOf(record), /inner\.zip.*is an archive inside an archive/)
    assert.match(messagesOf(record), /b\.zip.*is not a readable zip archive/)
    assert.match(messagesOf(record), /c\.rar.*is a rar archive, which is not supported/)
  })

  it('that mean harm end the import, and nothing of it is kept', async (test) => {
    const { client } = await startWith(test, {
      'a.zip': await zipOf({ 'x.geojson': geojson }),
      'b.zip': rawZip([{ name: '../../x.geojson', content: geojson }]),
    })
    const record = await create(client)
    assert.equal(record.state, 'INIT_ERROR')
    assert.match(String(record.message), /leads out of its folder/)
    const uploads = join(client.server.dataDir, 'uploads', '0')
    assert.deepEqual(existsSync(uploads) ? readdirSync(uploads) : [], [])
  })

  it('share the limits: entries and bytes of all of them count', async (test) => {
    const three = await zipOf({ 'a.geojson': geojson, 'b.geojson': geojson, 'c.geojson': geojson })
    const files = { '1.zip': three, '2.zip': three, '3.zip': three }
    const { client } = await startWith(test, files, { TERRANE_MAX_ARCHIVE_ENTRIES: '8' })
    assert.match(
      String((await create(client)).message),
      /"3\.zip" and the archives before it hold more than 8/,
    )
    const bytes = await startWith(test, files, { TERRANE_MAX_EXPANDED: '1000' })
    assert.match(String((await create(bytes.client)).message), /expands to more than 1000 bytes/)
  })

  it('of a mosaic stay closed', async (test) => {
    const { client } = await startWith(test, {
      'a.zip': await zipOf({ 'x.geojson': geojson }),
      'a.tif': readFileSync('tests/fixtures/mosaic/rgb1.tif'),
    })
    const record = await create(client, { type: 'mosaic' })
    assert.match(messagesOf(record), /a\.zip.*archive in the folder of a mosaic/)
  })

  it('come with an upload of their folder by url too', async (test) => {
    const { client } = await startWith(test, {
      'a.zip': await zipOf({ 'x.geojson': geojson }),
      'd.geojson': geojson,
    })
    await client.call('POST', '', { import: {} })
    const reply = await client.server.app.inject({
      method: 'POST',
      url: '/rest/imports/0/tasks?expand=1',
      headers: { ...client.server.admin, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'url=folder',
    })
    assert.equal(reply.statusCode, 201, reply.body)
    await client.call('POST', '/0')
    const { json } = await client.call('GET', '/0?expand=2')
    assert.deepEqual(
      listOf(json.import?.tasks).map(({ state, layer }) => [state, layer?.name]),
      [
        ['COMPLETE', 'x'],
        ['COMPLETE', 'd'],
      ],
    )
  })
})
