import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { addPostgisStore } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'

const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
const chain = { transformChain: { type: 'vector', transforms: [points] } }
const columns = 'id, name, pop, share, location'

/** A generator of the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Row = (string | number)[]

function rowOf(id: number, random: (below: number) => number): Row {
  const name = ['', 'Ä', 'a b', '"q"', '数', 'same'][random(6)] ?? ''
  const pop = random(4) === 0 ? '' : random(5)
  return [id, `"${name.replaceAll('"', '""')}"`, pop, random(3) / 4, random(80), random(80)]
}

/** Two tables: of the rows of the first some stay, some change, some go, and some come. */
function pairOf(seed: number): [Row[], Row[]] {
  const random = randomOf(seed)
  const first = Array.from({ length: 20 + random(30) }, (_, id) => rowOf(id, random))
  const second = first.flatMap((row) => {
    const fate = random(10)
    if (fate < 2) return []
    return [fate < 5 ? rowOf(Number(row[0]), random) : row]
  })
  for (let id = 1000; id < 1000 + random(15); id += 1) second.push(rowOf(id, random))
  return [first, second.sort((a, b) => String(a[1]).localeCompare(String(b[1])))]
}

const csvOf = (rows: Row[]): string =>
  `id,name,pop,share,lat,lon\n${rows.map((row) => row.join(',')).join('\n')}\n`

interface Location {
  client: ImporterClient
  body: object
  /** Stores the present table for a later comparison. */
  keep(): Promise<void>
  /**
   * Counts the kept rows that are missing in the table, and the rows of the table that are missing among the
   * kept ones. Duplicates count.
   */
  difference(): Promise<{ removed: number; added: number }>
  /** Ids in both whose rows differ. */
  changed(): Promise<number>
}

async function startPostgis(client: ImporterClient): Promise<Location> {
  const { url, schema } = await addPostgisStore(client, 'wide')
  const [now, before] = [`${schema}.places`, `${schema}.kept`]
  const number = async (sql: string) => Number((await runSql(url, sql)).at(0)?.n)
  const except = (a: string, b: string) =>
    number(`select count(*) as n from (select ${columns} from ${a} except all select ${columns} from ${b}) d`)
  return {
    client,
    body: { targetStore: { dataStore: { name: 'wide' } } },
    keep: async () => {
      await runSql(url, `drop table if exists ${before}; create table ${before} as select * from ${now}`)
    },
    difference: async () => ({ removed: await except(before, now), added: await except(now, before) }),
    changed: () =>
      number(`select count(*) as n from ${before} b join ${now} a using (id)
        where (b.name, b.pop, b.share, b.location) is distinct from (a.name, a.pop, a.share, a.location)`),
  }
}

function startGeopackage(client: ImporterClient): Location {
  const path = join(client.server.dataDir, 'stores', 'default', 'default.gpkg')
  const kept = `${path}.kept`
  const ask = (sql: string): number => {
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      db.exec(`attach '${kept}' as kept`)
      return Number(db.prepare(sql).get()?.n)
    } finally {
      db.close()
    }
  }
  const numbered = (table: string) =>
    `select ${columns}, row_number() over (partition by ${columns}) from ${table}`
  const except = (a: string, b: string) =>
    ask(`select count(*) as n from (${numbered(a)} except ${numbered(b)})`)
  const [now, before] = ['main.places', 'kept.places']
  return {
    client,
    body: {},
    keep: async () => {
      rmSync(kept, { force: true })
      const db = new DatabaseSync(path, { readOnly: true })
      db.exec(`vacuum into '${kept}'`)
      db.close()
    },
    difference: async () => ({ removed: except(before, now), added: except(now, before) }),
    changed: async () =>
      ask(`select count(*) as n from ${before} b join ${now} a on a.id = b.id
        where not (b.name is a.name and b.pop is a.pop and b.share is a.share and b.location is a.location)`),
  }
}

async function load({ client, body }: Location, rows: Row[], task: object, isDryRun = false): Promise<Json> {
  const id = Number((await client.call('POST', '', { import: body })).json.import?.id)
  await client.upload(id, [{ name: 'places.csv', content: csvOf(rows) }])
  const put = await client.call('PUT', `/${id}/tasks/0`, {
    task: { layer: { srs: 'EPSG:4326' }, ...chain, ...task },
  })
  assert.equal(put.json.task?.state, 'READY', put.text)
  const found = isDryRun ? (await client.call('POST', `/${id}/dry-run`)).json.dryRun : undefined
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  const done = await client.call('GET', `/${id}/tasks/0`)
  assert.equal(done.json.task?.state, 'COMPLETE', done.text)
  return found === undefined ? {} : (listOf<Json>(found.tasks)[0] ?? assert.fail())
}

const startAt: Record<'GeoPackage' | 'PostGIS', (test: TestContext) => Promise<Location>> = {
  GeoPackage: async (test) => startGeopackage(await startImporter(test)),
  PostGIS: async (test) => startPostgis(await startImporter(test)),
}

const cases = [
  { name: 'a REPLACE by whole rows', task: { updateMode: 'REPLACE' }, hasKeys: false },
  { name: 'a REPLACE by keys', task: { updateMode: 'REPLACE', keys: ['id'] }, hasKeys: true },
  {
    name: 'an UPSERT that deletes what is gone',
    task: { updateMode: 'UPSERT', keys: ['id'], deleteMissing: true },
    hasKeys: true,
  },
]

for (const store of ['GeoPackage', 'PostGIS'] as const) {
  describe(`what a dry run into ${store} tells, what the run does, and what SQL finds`, () => {
    for (const { name, task, hasKeys } of cases) {
      it(`are the same for ${name}`, async (test) => {
        const place = await startAt[store](test)
        for (let seed = 1; seed <= 3; seed += 1) {
          const [first, second] = pairOf(seed)
          await load(place, first, { updateMode: seed === 1 ? 'CREATE' : 'REPLACE' })
          await place.keep()
          const { changes } = await load(place, second, task, true)
          const { removed, added } = await place.difference()
          const changed = hasKeys ? await place.changed() : 0
          assert.deepEqual(
            changes,
            {
              added: added - changed,
              changed: hasKeys ? changed : null,
              removed: removed - changed,
              same: second.length - added,
              matchedBy: hasKeys ? ['id'] : [],
            },
            `seed ${seed}`,
          )
        }
      })
    }
  })
}
