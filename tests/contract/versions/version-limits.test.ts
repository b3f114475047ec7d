import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const layers = 8
const loads = 4
const rows = 400
const limitBytes = 512 * 1024
const dayMs = 86_400_000

const pointsOf = (generation: string): Points =>
  Array.from({ length: rows }, (_, at) => [`${generation}${at}`, at % 180, at % 90])

describe('what is kept of many layers', () => {
  const clock = fixedClock('2026-11-01T00:00:00.000Z')
  let server: TestApp
  before(async () => {
    server = await createTestApp({
      clock,
      env: { TERRANE_MAX_VERSIONS: String(limitBytes), TERRANE_LOADS: '2' },
    })
    await addVersionStores(server)
  })
  after(() => server.close())

  /**
   * Returns the size of the tables with stored states in the database, without the maps that autovacuum
   * creates at any time.
   */
  async function tableBytes(): Promise<number> {
    const maps = ['fsm', 'vm'].map((fork) => ` - pg_relation_size(oid, '${fork}')`).join('')
    const [row] = await runSql(
      await fileDatabase(),
      `select coalesce(sum(pg_total_relation_size(oid)${maps}), 0)::float8 as n from pg_class where relkind = 'r' and starts_with(relname, 'terrane_kept_')`,
    )
    return Number(row?.['n'])
  }

  /** Returns the size of these tables in the GeoPackage, by the pages that SQLite counts. */
  function fileBytes(): number {
    const db = new DatabaseSync(join(server.dataDir, 'stores', 'default', 'file.gpkg'), { readOnly: true })
    try {
      const sql = `SELECT coalesce(sum(pgsize), 0) AS n FROM dbstat WHERE name GLOB '*gpkg_terrane_kept_*'`
      return Number(db.prepare(sql).get()?.['n'])
    } finally {
      db.close()
    }
  }

  async function reported(): Promise<{ contents: number; bytes: number }> {
    const row = await server.database.kysely
      .selectFrom('layer_contents')
      .select(({ fn }) => [fn.countAll().as('contents'), fn.sum('size_bytes').as('bytes')])
      .where('form', '=', 'kept')
      .executeTakeFirst()
    return { contents: Number(row?.contents), bytes: Number(row?.bytes ?? 0) }
  }

  for (const store of ['file', 'table'] as const) {
    it(`takes no more than is allowed, the oldest going first, in store ${store}`, async () => {
      for (let load = 0; load < loads; load += 1) {
        for (let layer = 0; layer < layers; layer += 1) {
          clock.advance(1000)
          const mode = load === 0 ? 'CREATE' : 'REPLACE'
          await importPoints(server, {
            name: `${store}_${layer}`,
            store,
            mode,
            points: pointsOf(`g${load}_`),
          })
        }
      }
      await server.importer.clean()
      const bytes = store === 'file' ? fileBytes() : await tableBytes()
      assert.ok(bytes > limitBytes / 4, `${bytes} bytes are kept of ${limitBytes}`)
      // The size of a state in a GeoPackage is an estimate.
      assert.ok(
        bytes <= limitBytes * (store === 'file' ? 1.3 : 1),
        `${bytes} bytes are kept of ${limitBytes}`,
      )
      const kept = new Map<number, number>()
      for (let layer = 0; layer < layers; layer += 1) {
        const versions = await versionsOf(server, `default:${store}_${layer}`)
        const restorable = versions.filter((one) => one.restorable).map(({ version }) => version)
        for (const { version, restorable: can, reason } of versions.slice(1))
          assert.ok(can || /took more than 524288 bytes/.test(reason ?? ''), `${version}: ${reason}`)
        for (const version of restorable) kept.set(version, (kept.get(version) ?? 0) + 1)
      }
      // The last of each layer goes after all others.
      const counts = [3, 2, 1].map((version) => kept.get(version) ?? 0)
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => b - a),
      )
      if ((counts[1] ?? 0) > 0) assert.equal(counts[0], layers)
    })
  }

  it('is told by /health, as the catalogue has it', async () => {
    const { contents, bytes } = await reported()
    const health = await ask(server, 'GET', '/health')
    const { versions } = health.json as unknown as { versions: { kept: object; days: number; bytes: number } }
    assert.deepEqual(versions, { days: 30, bytes: limitBytes, kept: { contents, bytes } })
    assert.ok(bytes > limitBytes / 2)
  })

  it('goes after its days, but for what is pinned', async () => {
    const layer = 'default:table_7'
    const pinned = (await versionsOf(server, layer)).find(({ restorable }) => restorable)?.version ?? 0
    const put = await ask(server, 'PUT', `/rest/layers/${layer}/versions/${pinned}`, { pinned: true })
    assert.equal(put.status, 200, put.text)
    clock.advance(29 * dayMs)
    await server.importer.clean()
    assert.ok((await reported()).contents > 2)
    clock.advance(2 * dayMs)
    await server.importer.clean()
    assert.equal((await reported()).contents, 1)
    assert.equal(fileBytes(), 0)
    assert.ok((await tableBytes()) <= limitBytes / 4)
    const versions = await versionsOf(server, layer)
    assert.deepEqual(
      versions.filter(({ restorable }) => restorable).map(({ version }) => version),
      [pinned],
    )
    const back = await restore(server, layer, pinned)
    assert.equal(back.status, 200, back.text)
  })
})
