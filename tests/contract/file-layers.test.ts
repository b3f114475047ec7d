import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { encodeFeature, sized, writeFlatGeobuf } from '../support/flatgeobuf-writer.ts'
import type { ImporterClient, Json } from '../support/importer-client.ts'
import { countFeatures, readItems, startImporter } from '../support/importer-client.ts'
import type { WriterRow } from '../support/shapefile-writer.ts'
import { writeShapefile } from '../support/shapefile-writer.ts'

const features = Array.from({ length: 60 }, (_, at) => ({ geometry: { xy: [at, at] } }))
const featureBytes = sized(encodeFeature({ geometry: { xy: [1, 1] } })).length

/** Points on a diagonal; the root offsets of the features of these numbers lead nowhere. */
function flatGeobuf(damaged: number[] = []): Buffer {
  const bytes = writeFlatGeobuf({ geometryType: 1, crs: { org: 'EPSG', code: 4326 }, features })
  for (const number of damaged) {
    const at = bytes.length - (features.length - number + 1) * featureBytes
    bytes.fill(0xff, at + 4, at + 8)
  }
  return bytes
}

function writePoints(path: string, count: number): void {
  const rows = function* (): Generator<WriterRow> {
    for (let row = 0; row < count; row += 1)
      yield { shape: { parts: [[row / count, row / count]] }, values: [row] }
  }
  const wgs84 =
    'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'
  writeShapefile(path, {
    shapeType: 1,
    fields: [{ name: 'n', type: 'N', width: 9 }],
    rows: rows(),
    prj: wgs84,
  })
}

const incoming = (client: ImporterClient, name: string): string =>
  join(client.server.dataDir, 'incoming', name)
const indexes = (client: ImporterClient): string[] => readdirSync(join(client.server.dataDir, 'indexes'))

async function importFile(client: ImporterClient, file: string): Promise<Json> {
  const created = await client.call('POST', '?exec=true', { import: { data: { type: 'file', file } } })
  const id = (created.json.import as unknown as { id: number }).id
  const { json } = await client.call('GET', `/${id}/tasks/0?expand=3`)
  return json.task as Json
}

async function start(test: TestContext): Promise<ImporterClient> {
  const client = await startImporter(test)
  mkdirSync(join(client.server.dataDir, 'incoming'), { recursive: true })
  return client
}

describe('a layer served from its file', () => {
  it('is checked once: damaged features are rejects of its task, as many as a load may have', async (test) => {
    const client = await start(test)
    writeFileSync(incoming(client, 'few.fgb'), flatGeobuf([7, 30]))
    const few = await importFile(client, 'few.fgb')
    assert.equal(few.state, 'COMPLETE')
    assert.match(
      JSON.stringify(few.messages),
      /2 rows cannot be read and are not served: row 7: .*; row 30: /,
    )
    const { features: rejects } = (
      await client.call('GET', `${String(few.href).split('/imports')[1]}/rejects`)
    ).json
    assert.deepEqual(
      (rejects as unknown as { id: number }[]).map(({ id }) => id),
      [7, 30],
    )
    assert.equal(await countFeatures(client, 'default:few'), 58)
    assert.equal((await readItems(client, 'default:few')).numberReturned, 58)

    writeFileSync(incoming(client, 'many.fgb'), flatGeobuf([7, 8, 9, 10]))
    const many = await importFile(client, 'many.fgb')
    assert.equal(many.state, 'ERROR')
    assert.match(String(many.errorMessage), /4 of 60 rows were rejected.*row 7/s)

    writeFileSync(incoming(client, 'cut.fgb'), flatGeobuf().subarray(0, -20))
    const cut = await importFile(client, 'cut.fgb')
    assert.equal(cut.state, 'ERROR')
    assert.match(String(cut.errorMessage), /cut short.*Feature 60, at byte \d+/s)
  })

  it('is indexed again when its file changed or its index is gone, and says when to ask again', async (test) => {
    const client = await start(test)
    writePoints(incoming(client, 'points.shp'), 100)
    assert.equal((await importFile(client, 'points.shp')).state, 'COMPLETE')
    writePoints(incoming(client, 'points.shp'), 150)
    assert.equal(await countFeatures(client, 'default:points'), 150)
    const [index = ''] = indexes(client)
    rmSync(join(client.server.dataDir, 'indexes', index))
    assert.equal(await countFeatures(client, 'default:points'), 150)
    assert.deepEqual(indexes(client), [index])
    truncateSync(incoming(client, 'points.shp'), 1001)
    const reply = await client.server.app.inject({
      url: '/ogc/collections/default:points/items',
      headers: client.server.admin,
    })
    assert.equal(reply.statusCode, 503)
    assert.ok(Number(reply.headers['retry-after']) > 0)
    assert.match(reply.body, /cannot be read/)
  })

  it('takes its index along when it is deleted', async (test) => {
    const client = await start(test)
    for (const name of ['one', 'two']) {
      writeFileSync(incoming(client, `${name}.fgb`), flatGeobuf())
      assert.equal((await importFile(client, `${name}.fgb`)).state, 'COMPLETE')
    }
    assert.equal(indexes(client).length, 2)
    const remove = (path: string): Promise<{ statusCode: number }> =>
      client.server.app.inject({ method: 'DELETE', url: `/rest${path}`, headers: client.server.admin })
    assert.equal((await remove('/layers/default:one')).statusCode, 200)
    assert.equal(indexes(client).length, 1)
    assert.equal((await remove('/workspaces/default/datastores/two?recurse=true')).statusCode, 200)
    assert.deepEqual(indexes(client), [])
    assert.ok(readFileSync(incoming(client, 'one.fgb')).length > 0)
  })
})
