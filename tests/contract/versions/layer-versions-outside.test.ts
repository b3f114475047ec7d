import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '../../../src/core/values/defined.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/importer-client.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { patience, until } from '../../support/until.ts'
import {
  importPoints,
  pointsJson,
  publishTable,
  recordOf,
  versionOf,
} from '../../support/versioned-layers.ts'

const manyWrites = 20
/**
 * The result of a check is reused for a moment, or for ten times the duration of the check if that was longer
 * than `slowMs`.
 */
const slowMs = 100
const usualRestMs = 5
const longestRestMs = 5000

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const began = performance.now()
  const result = await work()
  return { result, tookMs: performance.now() - began }
}

/**
 * Waits until the server closes the file, which it keeps open for a moment after a load: until then the
 * journal mode cannot be changed.
 */
async function letGo(file: string): Promise<void> {
  await until(() => !existsSync(`${file}-wal`))
}

/** A GeoPackage as other programs write to it: its triggers call functions of theirs. */
function openOutside(file: string, journal: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 })
  for (const name of ['ST_IsEmpty', 'ST_MinX', 'ST_MaxX', 'ST_MinY', 'ST_MaxY']) db.function(name, (_) => 1)
  db.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = OFF`)
  return db
}

/** Changes by others, each of which has to let the version of a layer grow. */
function describeOutside(name: string, environment: () => Promise<Record<string, string>>): void {
  describe(`versions after changes by others, catalogue in ${name}`, () => {
    let server: TestApp
    let url: string
    before(async () => {
      url = await fileDatabase()
      server = await createTestApp({ env: { TERRANE_LOADS: '1', ...(await environment()) } })
      const stores = [
        ['files', 'GeoPackage', { database: join(server.dataDir, 'stores', 'others.gpkg') }],
        ['tables', 'PostGIS', { ...storeParameters(url, 'public'), schema: `s_${name}`.toLowerCase() }],
      ] as const
      psql(`create schema s_${name}`)
      for (const [store, type, connectionParameters] of stores) {
        const dataStore = { name: store, type, connectionParameters }
        const reply = await send('POST', '/rest/workspaces/default/datastores', { dataStore })
        assert.equal(reply.statusCode, 201, reply.body)
      }
    })
    after(() => server.close())
    const ask = (sql: string, name: string): string =>
      execFileSync('psql', ['-qXtA', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', sql], {
        env: { ...process.env, PGAPPNAME: name },
        stdio: 'pipe',
        encoding: 'utf8',
      })
    const isThere = `select 1 from pg_stat_activity where application_name = 'outsider' and datname = current_database()`
    /** Returns after the PostgreSQL server process has ended: as it ends, it reports its changes. */
    const psql = (sql: string): void => {
      ask(sql, 'outsider')
      for (const hasTime = patience(); ask(isThere, 'watcher').trim() !== ''; ) assert.ok(hasTime())
    }
    const send = (method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) =>
      server.app.inject({ method, url: path, headers: server.admin, ...defined({ payload }) })
    const countOf = async (layer: string): Promise<number> =>
      (await send('GET', `/ogc/collections/${layer}/items?limit=1`)).json<{ numberMatched: number }>()
        .numberMatched
    const refresh = async (layer: string): Promise<void> =>
      assert.equal((await send('POST', `/rest/layers/${layer}/refresh`)).statusCode, 200)
    /**
     * The version grows at the first check after the previous one has expired; if checks are slow, at one of
     * the next.
     */
    const grows = async (layer: string, change: () => unknown): Promise<void> => {
      const before = await timed(async () => {
        await refresh(layer)
        return versionOf(server, layer)
      })
      change()
      await sleep(before.tookMs < slowMs ? usualRestMs : Math.min(longestRestMs, before.tookMs * 10))
      const { tookMs } = await timed(() => versionOf(server, layer))
      const isSlow = Math.max(before.tookMs, tookMs) >= slowMs
      if (isSlow) await until(async () => (await versionOf(server, layer)) > before.result)
      await later(layer, before.result, change)
    }
    /** The same for what takes less time than a look counts. */
    const growsAtOnce = async (layer: string, change: () => unknown): Promise<void> => {
      const earlier = await versionOf(server, layer)
      change()
      await refresh(layer)
      await later(layer, earlier, change)
    }
    const later = async (layer: string, earlier: number, change: () => unknown): Promise<void> => {
      const later = await versionOf(server, layer)
      assert.ok(later > earlier, `${layer} stays at ${later} after ${change}`)
      assert.equal(await versionOf(server, layer), later)
    }

    it('grow when ogr2ogr or SQLite writes to a GeoPackage', async () => {
      await importPoints(server, { store: 'files', name: 'spots' })
      const file = join(server.dataDir, 'stores', 'others.gpkg')
      const more = join(server.dataDir, 'more.geojson')
      writeFileSync(more, pointsJson([['c', 5, 6]]))
      await grows('default:spots', () =>
        execFileSync('ogr2ogr', ['-append', '-nln', 'spots', file, more], { stdio: 'pipe' }),
      )
      assert.equal(await countOf('default:spots'), 3)
      await letGo(file)
      for (const journal of ['wal', 'delete']) {
        const change = (sql: string) => () => {
          const db = openOutside(file, journal)
          db.exec(sql)
          db.close()
        }
        await growsAtOnce('default:spots', change("INSERT INTO spots (name) VALUES ('d')"))
        await growsAtOnce('default:spots', change("UPDATE spots SET name = 'e' WHERE name = 'd'"))
        await growsAtOnce('default:spots', change("DELETE FROM spots WHERE name = 'e'"))
      }
    })

    it('grow when a change keeps the size of a GeoPackage and comes at once after a look', async () => {
      await importPoints(server, { store: 'files', name: 'quick' })
      const file = join(server.dataDir, 'stores', 'others.gpkg')
      const shapes = [
        { journal: 'wal', isKept: true },
        { journal: 'wal', isKept: false },
        { journal: 'delete', isKept: true },
      ]
      await letGo(file)
      for (const { journal, isKept } of shapes) {
        let db = openOutside(file, journal)
        let sameSize = 0
        for (let round = 0; round < manyWrites; round += 1) {
          const { size } = statSync(file)
          const layer = await server.catalog.layers.refreshVersion(await recordOf(server, 'quick'))
          db.exec(`UPDATE quick SET name = '${String(round).padStart(4, '0')}'`)
          if (!isKept) {
            db.close()
            db = openOutside(file, journal)
          }
          const later = await server.catalog.layers.refreshVersion(await recordOf(server, 'quick'))
          assert.ok(later.version > layer.version, `${journal} ${isKept}, round ${round}`)
          if (statSync(file).size === size) sameSize += 1
        }
        assert.ok(sameSize > manyWrites / 2)
        db.close()
      }
    })

    it('grow when psql writes to a table', async () => {
      await importPoints(server, { store: 'tables', name: 'places' })
      const table = `s_${name}.places`
      for (const sql of [
        `insert into ${table} (name) values ('c')`,
        `update ${table} set name = 'd' where name = 'c'`,
        `delete from ${table} where name = 'd'`,
        `alter table ${table} add column extra int`,
        `alter table ${table} rename column extra to other`,
        `alter table ${table} alter column other type text`,
        `begin; insert into ${table} (name) values ('x'); rollback`,
        `truncate ${table}`,
      ])
        await grows('default:places', () => psql(sql))
      assert.equal(await countOf('default:places'), 0)
      psql(`vacuum analyze ${table}`)
      const before = await versionOf(server, 'default:places')
      psql(`select count(*) from ${table}`)
      assert.equal(await versionOf(server, 'default:places'), before)
    })

    it('grow when what a view, a partitioned or a materialized table is made of changes', async () => {
      const schema = `s_${name}`
      psql(`
        create table ${schema}.base (id int primary key, geom geometry(Point, 4326));
        create view ${schema}.inner_view as select * from ${schema}.base where id > 0;
        create view ${schema}.outer_view as select * from ${schema}.inner_view;
        create materialized view ${schema}.kept as select * from ${schema}.base;
        create table ${schema}.parted (id int, geom geometry(Point, 4326)) partition by range (id);
        create table ${schema}.part1 partition of ${schema}.parted for values from (0) to (100);`)
      for (const table of ['outer_view', 'kept', 'parted']) await publishTable(server, 'tables', table)
      await grows('default:outer_view', () => psql(`insert into ${schema}.base values (1)`))
      await grows('default:kept', () => psql(`refresh materialized view ${schema}.kept`))
      await grows('default:parted', () => psql(`insert into ${schema}.parted values (1)`))
    })

    it('grow when the counts that PostgreSQL keeps begin anew', async () => {
      await importPoints(server, { store: 'tables', name: 'recounted' })
      await grows('default:recounted', () => psql('select pg_stat_reset()'))
    })

    it('grow when a file that is served as it is changes, though its size and time stay', async () => {
      const client = clientOf(server)
      client.provide('flatgeobuf/countries.fgb')
      const created = await client.call('POST', '?exec=true', {
        import: { data: { type: 'file', file: 'countries.fgb' } },
      })
      assert.equal(created.status, 201, created.text)
      const file = join(server.dataDir, 'incoming', 'countries.fgb')
      const { atime, mtime } = statSync(file)
      await growsAtOnce('default:countries', () => {
        writeFileSync(file, readFileSync(file))
        utimesSync(file, atime, mtime)
      })
    })
  })
}

describeOutside('sqlite', async () => ({}))
describeOutside('postgres', async () => ({ TERRANE_DATABASE_URL: await fileDatabase() }))
