import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Entries } from '../../support/archives.ts'
import { sevenZipOf, tarOf, zipOf } from '../../support/archives.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, startImporter } from '../../support/importer-client.ts'

const files = 30

function provideDirectory({ server }: ImporterClient): string {
  const folder = join(server.dataDir, 'incoming', 'many')
  mkdirSync(folder, { recursive: true })
  for (let number = 0; number < files; number += 1) {
    const features = Array.from({ length: number + 1 }, () => ({
      type: 'Feature',
      properties: { number },
      geometry: { type: 'Point', coordinates: [number, 1] },
    }))
    writeFileSync(
      join(folder, `p_${number}.geojson`),
      JSON.stringify({ type: 'FeatureCollection', features }),
    )
  }
  return 'many'
}

async function importAll(client: ImporterClient, location: string): Promise<Json[]> {
  const created = await client.call('POST', '', { import: { data: { type: 'directory', location } } })
  const id = created.json.import?.id as unknown as number
  await client.call('POST', `/${id}`)
  const { json } = await client.call('GET', `/${id}?expand=3`)
  assert.equal(json.import?.state, 'COMPLETE')
  return listOf(json.import?.tasks)
}

describe('a directory of many small files', () => {
  it('goes into one store, each file a layer of its own with all its features', async (test) => {
    const client = await startImporter(test, { env: { TERRANE_LOADS: '4' } })
    const tasks = await importAll(client, provideDirectory(client))
    assert.equal(tasks.length, files)
    for (const number of [0, 7, files - 1]) {
      assert.equal(await countFeatures(client, `default:p_${number}`), number + 1)
    }
  })

  it('loaded again takes new names, also where only the tables are left of the layers', async (test) => {
    const client = await startImporter(test, { env: { TERRANE_LOADS: '4' } })
    const location = provideDirectory(client)
    await importAll(client, location)
    const url = '/rest/layers/default:p_3'
    const removed = await client.server.app.inject({ method: 'DELETE', url, headers: client.server.admin })
    assert.equal(removed.statusCode, 200)
    const again = await importAll(client, location)
    const names = again.map(({ layer }) => [layer?.originalName, layer?.name, layer?.nativeName].map(String))
    assert.deepEqual(
      names.filter(([original]) => ['p_3', 'p_4'].includes(original ?? '')),
      [
        ['p_3', 'p_3', 'p_30'],
        ['p_4', 'p_40', 'p_40'],
      ],
    )
    assert.equal(await countFeatures(client, 'default:p_3'), 4)
  })
})

describe('an archive of many empty files', () => {
  for (const [ending, pack] of Object.entries({
    zip: zipOf,
    tar: tarOf,
    '7z': (entries: Entries) => sevenZipOf('7z', entries),
  })) {
    it(`as ${ending} is inspected once for each extension, and named in one task`, async (test) => {
      const client = await startImporter(test)
      const { pool } = client.server.importer
      const { describe: ask } = pool
      let requested = 0
      pool.describe = (file, options) => {
        requested += 1
        return ask(file, options)
      }
      const count = ending === '7z' ? 500 : 2000
      const names = Array.from({ length: count }, (_, at) => `e${at}.${at % 2 === 0 ? 'csv' : 'geojson'}`)
      const file = `empty.${ending}`
      mkdirSync(join(client.server.dataDir, 'incoming'), { recursive: true })
      const content = await pack(Object.fromEntries(names.map((name) => [name, ''])))
      writeFileSync(join(client.server.dataDir, 'incoming', file), content)
      const created = await client.call('POST', '', { import: { data: { type: 'file', file } } })
      const tasks = await client.call('GET', `/${created.json.import?.id}/tasks/0`)
      assert.equal(String(tasks.json.task?.state), 'NO_FORMAT')
      assert.match(
        JSON.stringify(tasks.json.task?.messages),
        new RegExp(`Empty files: .* and ${count - 20} more`),
      )
      assert.ok(requested <= 2, `${requested} files were inspected`)
    })
  }
})
