import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { getImport, saveImport } from '../../../src/importer/records/import-repository.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { countFeatures, startImporter } from '../../support/importer-client.ts'

const dayMs = 86_400_000
const content = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }],
})

interface Site {
  client: ImporterClient
  now(): string
  /** Lets days pass and cleans up after them. */
  pass(days: number): Promise<void>
  /** Paths of files below a folder of the data directory. */
  files(folder: string): string[]
}

async function startAt(test: TestContext, env: Record<string, string> = {}): Promise<Site> {
  const clock = fixedClock('2026-01-01T00:00:00Z')
  const client = await startImporter(test, { clock, env })
  return {
    client,
    now: () => clock.now().toISOString(),
    pass: async (days) => {
      clock.advance(days * dayMs)
      await client.server.importer.clean()
    },
    files: (folder) =>
      readdirSync(join(client.server.dataDir, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name),
  }
}

async function uploadTo({ client }: Site, id: number, name: string): Promise<void> {
  if ((await client.call('GET', `/${id}`)).status === 404) await client.call('POST', '')
  assert.equal((await client.upload(id, [{ name, content }])).status, 201)
}

const statusOf = async ({ client }: Site, path: string): Promise<number> =>
  (await client.call('GET', path)).status

describe('uploads of an unfinished import', () => {
  it('stay for seven days after its last change and then go; the import stays', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    await site.pass(6.9)
    assert.deepEqual(site.files('uploads'), ['p.geojson'])
    await site.pass(0.2)
    assert.deepEqual(site.files('uploads'), [])
    assert.equal(await statusOf(site, '/0'), 200)
  })

  it('stay when the import was changed meanwhile, by another upload or an edit', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    await site.pass(6)
    await site.client.call('PUT', '/0/tasks/0/layer', { layer: { title: 'Points' } })
    await site.pass(6)
    await uploadTo(site, 0, 'q.geojson')
    await site.pass(6)
    assert.deepEqual(site.files('uploads').sort(), ['p.geojson', 'q.geojson'])
    await site.pass(2)
    assert.deepEqual(site.files('uploads'), [])
  })

  it('stay when another request has the import, and changes it', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    const { locks } = site.client.server.importer
    let cleaned: Promise<void> | undefined
    await locks.ofImport(0, async () => {
      cleaned = site.pass(8)
      await delay(100)
      const db = site.client.server.database.kysely
      await saveImport(db, await getImport(db, 0), site.now())
    })
    await cleaned
    assert.deepEqual(site.files('uploads'), ['p.geojson'])
  })

  it('that cannot be removed do not keep those of others', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    await uploadTo(site, 1, 'q.geojson')
    const { locks } = site.client.server.importer
    test.mock.method(locks, 'ofImport', async (id: number, work: () => Promise<void>) => {
      if (id === 0) throw new Error('the disk says no')
      return work()
    })
    await site.pass(8)
    assert.deepEqual(site.files('uploads'), ['p.geojson'])
  })

  it('that are gone make the task an ERROR that names the file when it is run', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    await site.pass(8)
    await site.client.call('POST', '/0')
    const { json } = await site.client.call('GET', '/0/tasks/0')
    assert.equal(String(json.task?.state), 'ERROR')
    assert.match(String(json.task?.errorMessage), /p\.geojson/)
  })

  it('stay as many days as the setting says', async (test) => {
    const site = await startAt(test, { TERRANE_KEEP_UPLOADS: '20' })
    await uploadTo(site, 0, 'p.geojson')
    await site.pass(19)
    assert.deepEqual(site.files('uploads'), ['p.geojson'])
    await site.pass(2)
    assert.deepEqual(site.files('uploads'), [])
  })
})

describe('the record of a finished import', () => {
  it('stays for ninety days after its last change and then goes; its layer stays', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    await site.client.call('POST', '/0')
    await site.pass(89)
    assert.equal(await statusOf(site, '/0'), 200)
    await site.pass(2)
    assert.equal(await statusOf(site, '/0'), 404)
    assert.equal(await countFeatures(site.client, 'default:p'), 1)
  })

  it('of which something failed goes too, with its rejected rows', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    await site.client.call('PUT', '/0/tasks/0', { task: { updateMode: 'APPEND' } })
    await site.client.call('POST', '/0')
    assert.equal(String((await site.client.call('GET', '/0')).json.import?.state), 'COMPLETE_ERROR')
    await site.pass(91)
    assert.equal(await statusOf(site, '/0'), 404)
    assert.deepEqual([...site.files('uploads'), ...site.files('rejects')], [])
  })

  it('of an unfinished import stays', async (test) => {
    const site = await startAt(test)
    await site.client.call('POST', '')
    await site.pass(400)
    assert.equal(await statusOf(site, '/0'), 200)
  })

  it('stays as many days as the setting says, and its id is not used again', async (test) => {
    const site = await startAt(test, { TERRANE_KEEP_IMPORTS: '3' })
    await uploadTo(site, 0, 'p.geojson')
    await site.client.call('POST', '/0')
    await site.pass(4)
    assert.equal(await statusOf(site, '/0'), 404)
    assert.equal(Number((await site.client.call('POST', '')).json.import?.id), 1)
  })
})

describe('a file that is not an upload any more, or never was', () => {
  it('stays where a published layer reads it, though the import is unfinished and then forgotten', async (test) => {
    const site = await startAt(test)
    await uploadTo(site, 0, 'p.geojson')
    await site.client.call('POST', '/0')
    await uploadTo(site, 0, 'q.geojson')
    await site.pass(8)
    assert.deepEqual(site.files('uploads'), [])
    assert.equal(await countFeatures(site.client, 'default:p'), 1)
    await site.client.call('DELETE', '/0/tasks/1')
    await site.pass(91)
    assert.equal(await statusOf(site, '/0'), 404)
    assert.equal(await countFeatures(site.client, 'default:p'), 1)
  })

  it('stays in the folder of its owner, whatever became of the import', async (test) => {
    const site = await startAt(test)
    const folder = join(site.client.server.dataDir, 'incoming')
    for (const name of ['direct.geojson', 'waiting.geojson', 'broken.shp'])
      writeFileSync(join(folder, name), name === 'broken.shp' ? 'no shapefile' : content)
    const before = site.files('incoming')
    const create = (file: string, query = '') =>
      site.client.call('POST', query, { import: { data: { type: 'file', file } } })
    await create('direct.geojson', '?exec=true')
    await create('waiting.geojson')
    await create('broken.shp', '?exec=true')
    await site.pass(8)
    await site.pass(91)
    assert.deepEqual(site.files('incoming'), before)
    assert.ok(existsSync(join(folder, 'waiting.geojson')))
    assert.equal(await countFeatures(site.client, 'default:direct'), 1)
  })
})
