import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { runSql } from '../../support/postgres.ts'

interface KeyProposal {
  kind: string
  keys: string[]
  rows: { data: number; layer: number; found: number }
  exact: boolean
  evidence: string
}

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

/** A task over a CSV with points. */
async function upload(client: ImporterClient, name: string, content: string): Promise<string> {
  const id = Number((await client.call('POST', '')).json.import?.id)
  const sent = await client.upload(id, [{ name: `${name}.csv`, content }])
  assert.equal(sent.status, 201, sent.text)
  await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
  return `/${id}`
}

async function load(client: ImporterClient, name: string, content: string): Promise<void> {
  const path = await upload(client, name, content)
  const run = await client.call('POST', path)
  assert.equal(run.status, 204, run.text)
  assert.equal(String((await taskOf(client, path)).state), 'COMPLETE')
}

const taskOf = async (client: ImporterClient, path: string): Promise<Json> =>
  (await client.call('GET', `${path}/tasks/0`)).json.task as Json

async function proposalsOf(client: ImporterClient, path: string): Promise<KeyProposal[]> {
  const found = await client.call('GET', `${path}/tasks/0/proposals?wait=60`)
  assert.equal(found.status, 200, found.text)
  assert.equal(found.json.whole, true)
  return listOf<KeyProposal>(found.json.proposals).filter(({ kind }) => kind === 'keys')
}

const monday = [
  'WKT,gid,name,kind',
  'POINT (1 1),1,oak,tree',
  'POINT (2 2),2,elm,tree',
  'POINT (3 3),3,ash,tree',
]
const tuesday = [
  'WKT,gid,name,kind',
  'POINT (1 1),1,oak,tree',
  'POINT (2 2),2,Elm,bush',
  'POINT (4 4),4,fir,tree',
]

for (const [shape, envOf] of Object.entries(shapes)) {
  describe(`keys of an UPSERT, with ${shape}`, () => {
    it('are proposed where columns are unique in data and layer, with what speaks for them', async (test) => {
      const client = await startImporter(test, { env: await envOf() })
      await load(client, 'trees', monday.join('\n'))
      const path = await upload(client, 'trees', tuesday.join('\n'))
      const put = await client.call('PUT', `${path}/tasks/0`, {
        task: { updateMode: 'UPSERT', layer: { name: 'trees' } },
      })
      assert.deepEqual(
        [put.status, put.json.task?.state, put.json.task?.errorCode],
        [200, 'ERROR', 'no-keys'],
      )
      const proposed = await proposalsOf(client, path)
      const [first, second, ...rest] = listOf<KeyProposal>((await taskOf(client, path)).proposals)
      assert.deepEqual([first, second, ...rest], proposed)
      assert.deepEqual(
        [first?.kind, first?.keys, first?.rows, first?.exact],
        ['keys', ['gid'], { data: 3, layer: 3, found: 2 }, true],
      )
      assert.equal(
        first?.evidence,
        '"gid" has a value of its own in all 3 rows of the data and in all 3 of the layer; 2 of the data (66.6 %) are in the layer',
      )
      assert.deepEqual([second?.keys, second?.rows.found, rest], [['name'], 1, []])

      for (const step of ['', '/dry-run']) {
        await client.call('POST', `${path}${step}`)
        const reported =
          step === ''
            ? (await taskOf(client, path)).errorMessage
            : (await client.call('GET', `${path}${step}`)).text
        assert.match(
          String(reported),
          /An UPSERT needs ."?keys."?.*"gid.?" can be used: .*Alternatives: .?"name/s,
        )
      }
      assert.deepEqual([(await taskOf(client, path)).errorCode], ['no-keys'])

      await client.call('PUT', `${path}/tasks/0`, { task: { keys: first?.keys } })
      const ready = await taskOf(client, path)
      assert.deepEqual([ready.state, ready.proposals, ready.errorCode], ['READY', undefined, undefined])
      assert.equal((await client.call('POST', path)).status, 204)
      assert.equal(String((await taskOf(client, path)).state), 'COMPLETE')
    })

    it('are those of a model that holds all rows, alone or two together', async (test) => {
      const client = await startImporter(test, { env: await envOf() })
      const random = seededRandom(11)
      for (let round = 0; round < 8; round += 1) {
        const [before, after] = [madeRows(random, round), madeRows(random, round)]
        await load(client, `made${round}`, toCsv(before))
        const path = await upload(client, `made${round}`, toCsv(after))
        const found = await proposalsOf(client, path)
        assert.deepEqual(
          found.map(({ keys, rows }) => [[...keys].sort().join(), rows.found]).sort(),
          modelKeys(before, after).sort(),
          `round ${round}`,
        )
        assert.ok(
          found.every(
            ({ exact, rows }) => exact && rows.data === after.length && rows.layer === before.length,
          ),
        )
      }
    })

    it('are not there where nothing is to be matched with, or nothing tells rows apart', async (test) => {
      const client = await startImporter(test, { env: await envOf() })
      const fresh = await upload(client, 'alone', monday.join('\n'))
      assert.deepEqual(await proposalsOf(client, fresh), [])
      const same = ['WKT,a,b', 'POINT (1 1),1,1', 'POINT (1 1),1,1'].join('\n')
      await load(client, 'same', same)
      const path = await upload(client, 'same', same)
      await client.call('PUT', `${path}/tasks/0`, { task: { updateMode: 'UPSERT' } })
      await client.call('POST', path)
      assert.match(
        String((await taskOf(client, path)).errorMessage),
        /No column or pair of columns is unique/,
      )
      assert.deepEqual(await proposalsOf(client, path), [])
      await load(client, 'full', monday.join('\n'))
      const empty = await upload(client, 'full', `${monday[0]}\n`)
      assert.deepEqual(await proposalsOf(client, empty), [])
    })
  })
}

describe('keys of an UPSERT', () => {
  it('that a rule of the table keeps unique stand first, those of two columns too', async (test) => {
    const env = await shapes['PostgreSQL and PostGIS']()
    const client = await startImporter(test, { env })
    const lines = [
      'WKT,id,part,label,code',
      ...Array.from({ length: 9 }, (_, n) => `POINT (${n} 1),${n},${n % 3},${Math.floor(n / 3)},c${n}`),
    ]
    await load(client, 'ruled', lines.join('\n'))
    const [row] = await runSql(
      env.TERRANE_DATABASE_URL,
      "select schemaname from pg_tables where tablename = 'ruled'",
    )
    const table = `"${row?.schemaname}".ruled`
    const first = async () => {
      const path = await upload(client, 'ruled', lines.join('\n'))
      const [proposal] = await proposalsOf(client, path)
      return [proposal?.keys.join(), /layer has it as a ([a-z ]+)/.exec(proposal?.evidence ?? '')?.[1]]
    }
    assert.deepEqual(await first(), ['id', undefined])
    await runSql(env.TERRANE_DATABASE_URL, `create unique index on ${table} (part, label)`)
    assert.deepEqual(await first(), ['part,label', 'unique index'])
    await runSql(env.TERRANE_DATABASE_URL, `create unique index on ${table} (code) include (id)`)
    assert.deepEqual((await first())[1], 'unique index')
    await runSql(env.TERRANE_DATABASE_URL, `create unique index on ${table} ((label || 'x')) where part > 5`)
    assert.deepEqual(await first(), ['code', 'unique index'])
  })

  it('take a renamed column, numbers however they are written, and no notes', async (test) => {
    const client = await startImporter(test)
    const note = 'long '.repeat(100)
    const rows = (suffix: string) =>
      ['WKT,Baum Nr,note', ...[1, 2, 3].map((n) => `POINT (${n} 1),${n}${suffix},${note}${n}`)].join('\n')
    await load(client, 'notes', rows(''))
    const path = await upload(client, 'notes', rows('.0'))
    const found = await proposalsOf(client, path)
    assert.deepEqual(
      found.map(({ keys, rows: looked }) => [keys, looked.found]),
      [[['Baum_Nr'], 3]],
    )
    await client.call('PUT', `${path}/tasks/0`, { task: { updateMode: 'UPSERT', keys: ['Baum_Nr'] } })
    assert.equal((await client.call('POST', path)).status, 204)
    const task = await taskOf(client, path)
    assert.equal(String(task.state), 'COMPLETE', JSON.stringify(task))
    const changes = await client.call('GET', `${path}/tasks/0/changes?format=csv`)
    assert.equal(changes.text.trim().split('\n').length, 1, changes.text)
  })
})

type Cell = string | number | null
const columns = ['id', 'lot', 'street', 'n', 'memo'] as const

/** Creates columns that are unique, nearly unique, or have nulls, depending on the round. */
function madeRows(random: () => number, round: number): Cell[][] {
  const count = 40 + Math.floor(random() * 30)
  const pick = (most: number): number => Math.floor(random() * most)
  const numbers = Array.from({ length: 120 }, (_, at) => at).sort(() => random() - 0.5)
  return Array.from({ length: count }, (_, at): Cell[] => [
    round % 2 === 0 ? (numbers[at] ?? 0) : pick(20),
    pick(3),
    `street ${Math.floor((numbers[at] ?? 0) / 3)}`,
    round % 4 === 1 && at === 7 ? null : (numbers[at] ?? 0) % 3,
    random() < 0.1 ? null : `memo ${numbers[at]}`,
  ])
}

function toCsv(rows: Cell[][]): string {
  return [
    `WKT,${columns.join()}`,
    ...rows.map((row, at) => `POINT (${at} 1),${row.map((cell) => cell ?? '').join()}`),
  ].join('\n')
}

function modelKeys(before: Cell[][], after: Cell[][]): [string, number][] {
  const places = columns.map((_, at) => at)
  const single = places.map((at) => [at])
  const pairs = places.flatMap((first) => places.slice(first + 1).map((second) => [first, second]))
  for (const candidates of [single, pairs]) {
    const found = candidates.flatMap((own): [string, number][] => {
      const [data, layer] = [after, before].map((rows) => rows.map((row) => own.map((at) => row[at] ?? null)))
      const isKey = (rows: Cell[][] = []): boolean =>
        !rows.flat().includes(null) && new Set(rows.map(String)).size === rows.length
      if (!isKey(data) || !isKey(layer)) return []
      const known = new Set(layer?.map(String))
      const name = own
        .map((at) => columns[at] ?? '')
        .sort()
        .join()
      return [[name, data?.filter((row) => known.has(String(row))).length ?? 0]]
    })
    if (found.length > 0) return found
  }
  return []
}
