import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

const rows = 100_000
const groups = 7

/**
 * Writes of other clients between two pages: inserts of rows everywhere, and deletes of rows that no page, or
 * every page, has returned.
 */
const changes = (page: number, first: number): string[] => {
  const added = [1, 2, 3].map((n) => `(${first + n}, ${n % groups})`)
  return [
    `insert into walked (k, g) values ${added.join(', ')}`,
    `delete from walked where k in (${page * 17 + 3}, ${rows - page * 13})`,
  ]
}

describe('a walk through all pages', () => {
  let server: TestApp
  let added = 0

  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
    for (const store of ['file', 'table']) await load(store)
  })
  after(() => server.close())

  async function load(store: string): Promise<void> {
    const client = clientOf(server)
    const target = {
      targetWorkspace: { workspace: { name: 'default' } },
      targetStore: { dataStore: { name: store } },
    }
    const created = await client.call('POST', '', { import: target })
    const id = Number(created.json.import?.id)
    const lines = Array.from({ length: rows }, (_, k) => `${k + 1},${k % groups}`)
    await client.upload(id, [{ name: 'walked.csv', content: Buffer.from(`k,g\n${lines.join('\n')}\n`) }])
    await client.call('PUT', `/${id}/tasks/0`, {
      task: { layer: { name: `walked_${store}`, srs: 'EPSG:4326' } },
    })
    await client.call('POST', `/${id}`)
    const done = await client.call('GET', `/${id}`)
    assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
  }

  for (const store of ['file', 'table'] as const)
    for (const sortby of ['', 'sortby=-g,k'])
      it(`of ${rows} rows meets each once while others write to the ${store}, ${sortby}`, async () => {
        const seen = new Set<number>()
        let next: string | undefined = `/ogc/collections/default:walked_${store}/items?limit=9000&${sortby}`
        let page = 0
        while (next !== undefined) {
          const { status, json, text } = await ask(server, 'GET', next)
          assert.equal(status, 200, text)
          const { features, links } = json as unknown as {
            features: { properties: { k: number } }[]
            links: { rel: string; href: string }[]
          }
          for (const { properties } of features) {
            assert.ok(!seen.has(properties.k), `${properties.k} came twice`)
            seen.add(properties.k)
          }
          const link = links.find(({ rel }) => rel === 'next')?.href
          next = link === undefined ? undefined : link.slice(link.indexOf('/ogc'))
          page += 1
          if (page < 15) await change(store, page)
        }
        assert.ok(page >= 11)
        const gone = new Set(Array.from({ length: 15 }, (_, one) => [one * 17 + 3, rows - one * 13]).flat())
        for (let k = 1; k <= rows; k += 1) assert.ok(seen.has(k) || gone.has(k), `${k} was dropped`)
      })

  async function change(store: 'file' | 'table', page: number): Promise<void> {
    added += 3
    const statements = changes(page, rows + added).map((sql) => sql.replace('walked', `walked_${store}`))
    if (store === 'table') return runSql(await fileDatabase(), statements.join('; ')).then(() => undefined)
    const db = new DatabaseSync(fileOfStore())
    try {
      for (const statement of statements) db.exec(statement)
    } finally {
      db.close()
    }
  }

  function fileOfStore(): string {
    const { stores } = server.directory
    const found = readdirSync(stores, { recursive: true, encoding: 'utf8' }).find((one) =>
      /\bfile\.gpkg$/.test(one),
    )
    return join(stores, found ?? 'file.gpkg')
  }
})
