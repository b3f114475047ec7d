import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { seededRandom } from '../../support/kills/session.ts'
import { addPostgisStore } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'

const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
const columns = ['id', '名前', 'pop', 'share']
const quoted = columns.map((name) => `"${name}"`).join(', ')

type Row = (string | number)[]

function rowOf(id: number, random: () => number): Row {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  return [
    id,
    `"${pick(['', 'Ä', 'a b', '""q""', '数', 'same'])}"`,
    pick(['', 1, 2, 3]),
    pick([0, 0.25, 0.5]),
    pick([1, 2, 3]),
    pick([4, 5]),
  ]
}

const csvOf = (rows: readonly Row[]): string =>
  `id,名前,pop,share,lat,lon\n${rows.map((row) => row.join(',')).join('\n')}\n`

/** Answers of other programs about the tables that a layer had. */
interface Peer {
  client: ImporterClient
  body: object
  /** Stores the present table under the number of the version. */
  keep(version: number): Promise<void>
  /** Counts the rows of one version that the other has less often. */
  except(one: number, other: number): Promise<number>
  /** Rows of both that a column matches, and that differ otherwise. */
  changed(one: number, other: number, column: 'fid' | 'id'): Promise<number>
  /** Rows of both with the same feature id and the same values. */
  same(one: number, other: number): Promise<number>
  count(version: number): Promise<number>
  /** Whole rows as ogr2ogr writes them. */
  dump(version: number): string[]
}

const dumpOptions = ['-f', 'CSV', '/vsistdout/', '-lco', 'GEOMETRY=AS_WKT']

function dumpOf(source: string, sql: string): string[] {
  const text = execFileSync('ogr2ogr', [...dumpOptions, source, '-sql', sql], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return text.trim().split('\n').slice(1).sort()
}

async function postgis(test: TestContext): Promise<Peer> {
  const client = await startImporter(test)
  const { url, schema } = await addPostgisStore(client, 'wide')
  const at = (version: number) => `${schema}.seen_${version}`
  const ask = async (sql: string): Promise<number> => Number((await runSql(url, sql))[0]?.['n'])
  const { hostname, port, pathname, username, password } = new URL(url)
  const source = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  return {
    client,
    body: { targetStore: { dataStore: { name: 'wide' } } },
    keep: async (version) =>
      void (await runSql(url, `create table ${at(version)} as select * from ${schema}.places`)),
    except: (one, other) =>
      ask(
        `select count(*) as n from (select ${quoted}, location from ${at(one)} except all select ${quoted}, location from ${at(other)}) d`,
      ),
    changed: (one, other, column) =>
      ask(`select count(*) as n from ${at(one)} a join ${at(other)} b using ("${column}")
        where (${columns.map((name) => `a."${name}"`).join(', ')}, a.location) is distinct from (${columns.map((name) => `b."${name}"`).join(', ')}, b.location)`),
    same: (one, other) =>
      ask(`select count(*) as n from ${at(one)} a join ${at(other)} b using (fid)
        where (${columns.map((name) => `a."${name}"`).join(', ')}, a.location) is not distinct from (${columns.map((name) => `b."${name}"`).join(', ')}, b.location)`),
    count: (version) => ask(`select count(*) as n from ${at(version)}`),
    dump: (version) => dumpOf(source, `select ${quoted}, location from ${at(version)}`),
  }
}

async function geoPackage(test: TestContext): Promise<Peer> {
  const client = await startImporter(test)
  const folder = mkdtempSync(join(tmpdir(), 'terrane-pairs-'))
  test.after(() => rmSync(folder, { recursive: true }))
  const path = join(client.server.dataDir, 'stores', 'default', 'default.gpkg')
  const at = (version: number) => join(folder, `${version}.gpkg`)
  const ask = (one: number, other: number, sql: string): number => {
    const db = new DatabaseSync(at(one), { readOnly: true })
    try {
      db.exec(`attach '${at(other)}' as other`)
      return Number(db.prepare(sql).get()?.['n'])
    } finally {
      db.close()
    }
  }
  const numbered = (table: string) =>
    `select ${quoted}, location, row_number() over (partition by ${quoted}, location) from ${table}.places`
  return {
    client,
    body: {},
    keep: async (version) => {
      const db = new DatabaseSync(path, { readOnly: true })
      db.exec(`vacuum into '${at(version)}'`)
      db.close()
    },
    except: async (one, other) =>
      ask(one, other, `select count(*) as n from (${numbered('main')} except ${numbered('other')})`),
    changed: async (one, other, column) =>
      ask(
        one,
        other,
        `select count(*) as n from main.places a join other.places b on a."${column}" = b."${column}"
        where not (${[...columns, 'location'].map((name) => `a."${name}" is b."${name}"`).join(' and ')})`,
      ),
    same: async (one, other) =>
      ask(
        one,
        other,
        `select count(*) as n from main.places a join other.places b on a.fid = b.fid
        where ${[...columns, 'location'].map((name) => `a."${name}" is b."${name}"`).join(' and ')}`,
      ),
    count: async (version) => ask(version, version, 'select count(*) as n from main.places'),
    dump: (version) => dumpOf(at(version), `select ${quoted}, location from places`),
  }
}

async function load({ client, body }: Peer, rows: readonly Row[], task: object): Promise<void> {
  const id = Number((await client.call('POST', '', { import: body })).json.import?.id)
  const uploaded = await client.upload(id, [{ name: 'places.csv', content: csvOf(rows) }])
  assert.equal(uploaded.status, 201, uploaded.text)
  const put = await client.call('PUT', `/${id}/tasks/0`, {
    task: { layer: { srs: 'EPSG:4326' }, transformChain: { type: 'vector', transforms: [points] }, ...task },
  })
  assert.equal(put.json.task?.state, 'READY', put.text)
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}/tasks/0`)
  assert.equal(done.json.task?.state, 'COMPLETE', done.text)
}

/** Some rows stay, some change, some go, some come; ids are given once unless `isTwice`. */
function nextRows(before: readonly Row[], random: () => number, isTwice: boolean): Row[] {
  const rows = before.flatMap((row) => {
    const fate = random()
    if (fate < 0.15) return []
    if (fate < 0.4) return [rowOf(Number(row[0]), random)]
    return isTwice && fate < 0.5 ? [row, row] : [row]
  })
  const first = 1000 + Math.floor(random() * 1_000_000)
  for (let at = 0; at < 6; at += 1) rows.push(rowOf(first + at, random))
  return rows.sort((one, other) => String(one[1]).localeCompare(String(other[1])))
}

async function fillVersions(peer: Peer, random: () => number): Promise<void> {
  let rows = Array.from({ length: 40 }, (_, id) => rowOf(id, random))
  await load(peer, rows, { updateMode: 'CREATE' })
  await peer.keep(1)
  const keyed = { keys: ['id'] }
  const loads = [
    { updateMode: 'UPSERT', ...keyed },
    { updateMode: 'UPSERT', ...keyed, deleteMissing: true },
    { updateMode: 'REPLACE', ...keyed },
    { updateMode: 'REPLACE' },
    { updateMode: 'APPEND' },
  ]
  for (const [at, task] of loads.entries()) {
    rows = nextRows(rows, random, at === 3)
    await load(peer, task.updateMode === 'APPEND' ? rows.slice(0, 9) : rows, task)
    await peer.keep(at + 2)
  }
  const back = await restore(peer.client.server, 'default:places', 5)
  assert.equal(back.status, 200, back.text)
  await peer.keep(7)
}

const peers = { GeoPackage: geoPackage, PostGIS: postgis }

for (const store of ['GeoPackage', 'PostGIS'] as const) {
  describe(`changes between versions in ${store}, and what SQL and ogr2ogr find`, () => {
    it('are the same for each two versions', async (test) => {
      const peer = await peers[store](test)
      const { server } = peer.client
      await fillVersions(peer, seededRandom(store === 'PostGIS' ? 5 : 6))
      const versions = (await versionsOf(server, 'default:places')).map(({ version }) => version)
      assert.deepEqual(versions, [7, 6, 5, 4, 3, 2, 1])
      const ways = new Set<string>()
      const dumps = new Map(versions.map((version) => [version, peer.dump(version)]))
      const dumped = (version: number): string[] => dumps.get(version) ?? []
      for (const one of versions) {
        for (const other of versions.filter((version) => version !== one)) {
          const url = `/rest/layers/default:places/versions/${one}/changes?against=${other}&limit=1`
          const { status, json, text } = await ask(server, 'GET', url)
          assert.equal(status, 200, text)
          const { changes } = json as unknown as {
            changes: Record<string, number | null> & { matchedBy: string[] }
          }
          const where = `${one} against ${other}: ${JSON.stringify(changes)}`
          const [removed, added] = [await peer.except(one, other), await peer.except(other, one)]
          const isWhole = changes['changed'] === null
          const isByKeys = changes.matchedBy.length > 0
          const changed = isWhole ? 0 : await peer.changed(one, other, isByKeys ? 'id' : 'fid')
          ways.add(isWhole ? 'whole rows' : isByKeys ? 'keys' : 'ids')
          assert.deepEqual(
            [changes['added'], changes['changed'] ?? 0, changes['removed'], changes['same']],
            isByKeys || isWhole
              ? [added - changed, changed, removed - changed, (await peer.count(one)) - removed]
              : await byIds(peer, one, other, changed),
            where,
          )
          if (other < one) continue
          assert.deepEqual(lacking(dumped(one), dumped(other)).length, removed, where)
          assert.deepEqual(lacking(dumped(other), dumped(one)).length, added, where)
        }
      }
      assert.deepEqual([...ways].sort(), ['ids', 'keys', 'whole rows'])
    })
  })
}

/** By feature ids rows may be equal that are not the same. */
async function byIds(peer: Peer, one: number, other: number, changed: number): Promise<number[]> {
  const [before, after] = [await peer.count(one), await peer.count(other)]
  const both = changed + (await peer.same(one, other))
  return [after - both, changed, before - both, both - changed]
}

/** Returns the lines of one list that the other contains less often. */
function lacking(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}
