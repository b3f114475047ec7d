import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishNewLayer } from '../../../src/catalog/rows/publication.ts'
import { createGeoPackageStore } from '../../../src/stores/geopackage/geopackage-store.ts'
import { loadRows } from '../../contract/store-session.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import { until } from '../../support/until.ts'

const schema = schemaOf({ n: 'int32' }, 'Point')
const deadlineMs = 1500

/** Each adds a layer `trap` that is never done, or gives more than fits. */
const traps: Record<string, string> = {
  'a view that joins everything with everything':
    'CREATE VIEW trap AS SELECT a.fid, a.geom, a.n FROM layer a, layer b, layer c, layer d, layer e',
  'a recursive view':
    'CREATE VIEW trap AS WITH RECURSIVE r(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM r) SELECT fid, NULL AS geom, 1 AS n FROM r',
  'a generated column of 400 MB':
    'CREATE TABLE trap (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO trap (fid) SELECT fid FROM layer; ALTER TABLE trap ADD COLUMN n BLOB AS (zeroblob(400000000))',
  'a generated column of 60 MB in many rows':
    'CREATE TABLE trap (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO trap (fid) SELECT fid FROM layer; ALTER TABLE trap ADD COLUMN n TEXT AS (hex(zeroblob(30000000)))',
  'a generated column that computes':
    'CREATE TABLE trap (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO trap (fid) SELECT fid FROM layer; ALTER TABLE trap ADD COLUMN n INT AS (instr(hex(zeroblob(300000 + fid)), hex(zeroblob(100000)) || 1))',
}

async function writeTrap(path: string, statement: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
  const rows = Array.from({ length: 500 }, (_, n) => ({ geometry: wkb('Point', [n, n]), values: [n] }))
  await loadRows(store, { schema, rows })
  const db = new DatabaseSync(path)
  db.exec(statement)
  db.exec(`INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('trap', 'features', 4326);
    INSERT INTO gpkg_geometry_columns VALUES ('trap', 'geom', 'POINT', 4326, 0, 0)`)
  db.close()
}

/** Milliseconds of processor time that this process and those it started have used. */
function usedMs(): number {
  const own = process.cpuUsage()
  let ticks = 0
  for (const pid of childrenOf(process.pid)) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return (own.user + own.system) / 1000 + ticks * 10
}

function childrenOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
}

const ends = ['too-slow', 'store-too-large', 'store-refused', 'reader-ended', 'cut']

/** Returns how a response ended; `cut` means that it broke off after it had begun. */
async function codeOf(answer: Promise<{ statusCode: number; body: string }>): Promise<string> {
  try {
    const { statusCode, body } = await answer
    if (statusCode === 200) return '200'
    return statusCode === 503 ? (JSON.parse(body) as { code: string }).code : body.slice(0, 200)
  } catch (error) {
    return (error as { code?: string }).code === 'LIGHT_ECONNRESET' ? 'cut' : String(error)
  }
}

describe('GeoPackages that would keep a reader for ever', () => {
  let app: TestApp
  const uncaught: Error[] = []
  const noteUncaught = (error: Error): void => void uncaught.push(error)
  before(async () => {
    process.on('uncaughtExceptionMonitor', noteUncaught)
    app = await createTestApp({ readers: { deadlineMs } })
  })
  after(async () => {
    await app.close()
    process.off('uncaughtExceptionMonitor', noteUncaught)
    assert.deepEqual(uncaught, [], 'the server would have died')
  })

  const get = (url: string) => app.app.inject({ method: 'GET', url, headers: app.admin })

  /** Publishes the layer with the trap, in a file of the server or in an external file. */
  async function publish(name: string, statement: string, isOwn: boolean): Promise<string> {
    const folder = join(app.dataDir, 'stores', 'default', ...(isOwn ? [] : ['uploaded_0123456789ab']))
    const path = join(folder, `${name}.gpkg`)
    await writeTrap(path, statement)
    const connection = { type: 'GeoPackage' as const, parameters: { path } }
    const store = await app.catalog.stores.create({
      workspace: 'default',
      name,
      kind: 'dataStore',
      connection,
    })
    const details = {
      kind: 'vector' as const,
      title: name,
      originalName: name,
      schema,
      style: 'point',
      srs: 'EPSG:4326',
    }
    const layer = { workspace: 'default', name, storeId: store.id, nativeName: 'trap', details }
    await publishNewLayer(app.database.kysely, layer, '2026-01-01T00:00:00.000Z')
    return `/ogc/collections/default:${name}/items`
  }

  for (const [number, [what, statement]] of Object.entries(traps).entries()) {
    it(`is given up: ${what}`, async () => {
      const items = await publish(`trap${number}`, statement, number % 2 === 0)
      const mainBefore = process.threadCpuUsage()
      const answers = [get(`${items}?limit=10000`), get(`${items}?bbox=1,1,2,2`), get(`${items}/7`)]
      const others = await get('/ogc/collections')
      assert.equal(others.statusCode, 200)
      const [all, ...few] = await Promise.all(answers.map(codeOf))
      assert.ok(ends.includes(all ?? ''), all)
      for (const ended of few) assert.ok(ended === '200' || ends.includes(ended), ended)
      const { user, system } = process.threadCpuUsage(mainBefore)
      assert.ok((user + system) / 1000 < 1500, `the main thread worked ${(user + system) / 1000} ms`)
      // Readers that were ended are replaced; then nothing works any more.
      await until(async () => {
        const used = usedMs()
        await sleep(400)
        return usedMs() - used < 200
      })
    })
  }

  it('says that it was too slow', async () => {
    const items = await publish('slow', traps['a view that joins everything with everything'] ?? '', true)
    const answer = await get(items)
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.json<{ code: string }>().code, 'too-slow')
  })

  it('reads a view that comes to its end', async () => {
    const collection = await publish('plain', 'CREATE VIEW trap AS SELECT fid, geom, n FROM layer', true)
    const answer = await get(`${collection}?limit=3&bbox=1,1,5,5`)
    assert.equal(answer.json<{ numberMatched: number }>().numberMatched, 5, answer.body)
    const bodies = new Set<string>()
    for (let round = 0; round < 30; round += 1) {
      const many = await Promise.all(Array.from({ length: 10 }, () => get(`${collection}?limit=3`)))
      for (const { body } of many) bodies.add(body.replace(/"timeStamp":"[^"]*"/, ''))
    }
    assert.equal(bodies.size, 1, [...bodies].join())
  })
})
