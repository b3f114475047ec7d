import assert from 'node:assert/strict'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, it } from 'node:test'
import {
  assertCount,
  collection,
  feature,
  itemsText,
  loadFiles,
  publishedLayers,
  shapefilePart,
  startWithTarget,
} from '../support/bad-input.ts'
import type { FilePart, ImporterClient, Json } from '../support/importer-client.ts'
import { writeShapefile } from '../support/shapefile-writer.ts'
import { temporaryData } from '../support/terrane-process.ts'

const hugeRow = 900_000

/** Writes a million short rows in pieces; row `hugeRow` is `bad`. */
async function writeHuge(path: string, head: string, row: (number: number) => string, bad: string) {
  function* pieces(): Generator<string> {
    yield head
    for (let start = 1; start <= 1_000_000; start += 10_000) {
      let piece = ''
      for (let number = start; number < start + 10_000; number += 1)
        piece += number === hugeRow ? bad : row(number)
      yield piece
    }
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path))
}

/** Runs one file of the import root. Returns the task and its rejected rows. */
async function loadPath(client: ImporterClient, file: string): Promise<{ task: Json; rejects: Json[] }> {
  const created = await client.call('POST', '', {
    import: { targetStore: { dataStore: { name: 'target' } }, data: { type: 'file', file } },
  })
  const id = Number(created.json.import?.id)
  if (String(created.json.import?.tasks?.[0]?.state) === 'NO_CRS')
    await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  const { json } = await client.call('GET', `/${id}/tasks/0`)
  const rejects = await client.call('GET', `/${id}/tasks/0/rejects?f=json`)
  return { task: json.task as Json, rejects: rejects.json.features as unknown as Json[] }
}

for (const type of ['GeoPackage', 'PostGIS'] as const) {
  describe(`values that are hard to keep, in ${type}`, () => {
    it('keeps integers beyond 2^53 to the last digit, in the store and in what is served', async (t) => {
      const client = await startWithTarget(t, type)
      const json = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":
        {"n":9007199254740993,"m":-9223372036854775808,"k":123456789012345678901234567890,"d":0.1234567890123456789}}]}`
      const csv =
        'n,m,k,d\n9007199254740993,-9223372036854775808,123456789012345678901234567890,0.1234567890123456789\n'
      for (const [name, content] of [
        ['a.geojson', json],
        ['b.csv', csv],
      ] as const) {
        const { task } = await loadFiles(client, [{ name, content }], { srs: 'EPSG:4326' })
        assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
        const text = await itemsText(client, `default:${name.slice(0, 1)}`)
        assert.match(text, /"n":9007199254740993[,}]/)
        assert.match(text, /"m":-9223372036854775808[,}]/)
        assert.match(text, /"k":"?123456789012345678901234567890"?[,}]/)
        assert.match(text, /"d":"?0\.1234567890123456789"?[,}]/)
      }
    })

    it('rejects rows whose coordinates are no finite numbers, and says so', async (t) => {
      const client = await startWithTarget(t, type)
      const path = join(temporaryData(t), 'points.shp')
      const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      writeShapefile(path, {
        shapeType: 1,
        fields: [{ name: 'a', type: 'N', width: 5 }],
        rows: Array.from({ length: 100 }, (_, i) => ({
          shape: { parts: [[values[i - 7] ?? i, i]] },
          values: [i],
        })),
        prj: shapefilePart('prj').toString(),
      })
      const files = ['shp', 'shx', 'dbf', 'prj'].map((extension) => ({
        name: `points.${extension}`,
        content: readFileSync(path.replace(/shp$/, extension)),
      }))
      const { id, task } = await loadFiles(client, files)
      assert.equal(task.rejected, 3, JSON.stringify(task))
      const { json } = await client.call('GET', `/${id}/tasks/0/rejects?f=json`)
      const rejects = json.features as unknown as { properties: { _row: number; _reason: string } }[]
      assert.deepEqual(
        rejects.map(({ properties }) => properties._row),
        [8, 9, 10],
      )
      await assertCount(client, 'default:points', 97)
      const infinite = collection(feature({ a: 1 }), feature({ a: 2 })).replace('[1,2]', '[1e999,2]')
      const loaded = await loadFiles(client, [{ name: 'infinite.geojson', content: infinite }])
      assert.equal(loaded.task.rejected, 1)
      await assertCount(client, 'default:infinite', 1)
    })

    it('takes any names of columns, tells which were changed, and keeps each value in its place', async (t) => {
      const client = await startWithTarget(t, type)
      const names = [
        'select',
        'from',
        'table',
        'user',
        'order',
        'id',
        'fid',
        'geom',
        'geometry',
        'oid',
        'ctid',
        'xmin',

        'rowid',
        '"; drop table x; --',
        "it's",
        'a"b',
        'Name',
        'NAME',
        'name',
        '',
        'ä ö',
        'x'.repeat(200),
        'tab\tline\n',
        'constructor',
        'toString',
        '日本語',
        '%s',
        '$1',
        '?',
      ]
      const properties = Object.fromEntries(names.map((name, index) => [name, index + 100]))
      const { task, messages } = await loadFiles(client, [
        { name: 'select.geojson', content: collection(feature(properties)) },
      ])
      assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
      assert.match(messages, /"NAME" is stored as column "NAME_1"/)
      assert.match(messages, /"name" is stored as column "name_2"/)
      const [item] = JSON.parse(await itemsText(client, 'default:select')).features
      assert.deepEqual(
        Object.values(item.properties),
        names.map((_, index) => index + 100),
      )
    })

    it('takes any file name and publishes under a name that is safe', async (t) => {
      const client = await startWithTarget(t, type)
      const expected = {
        "'; drop table x; --.geojson": 'a____drop_table_x____',
        '日本語 地図.geojson': '日本語_地図',
        '-rf.geojson': 'a__rf',
        '123.geojson': 'a_123',
        '🗺.geojson': 'a__',
        [`${'a'.repeat(200)}.geojson`]: 'a'.repeat(200),
        'sqlite_master.geojson': 'sqlite_master',
        'gpkg_contents.geojson': 'gpkg_contents',
        'rtree_x_geom.geojson': 'rtree_x_geom',
        'x.geojson': 'x',
        'spatial_ref_sys.geojson': 'spatial_ref_sys',
        'pg_class.geojson': 'pg_class',
        '../../etc/passwd.geojson': 'passwd',
        'C:\\temp\\y.geojson': 'y',
      }
      for (const [name, layer] of Object.entries(expected)) {
        const { task } = await loadFiles(client, [{ name, content: collection(feature({ a: 1 })) }])
        assert.equal(task.state, 'COMPLETE', `${name}: ${JSON.stringify(task)}`)
        assert.equal(task.layer?.name, layer)
        await assertCount(client, `default:${layer}`, 1)
      }
      assert.equal((await publishedLayers(client)).length, Object.keys(expected).length)
    })
  })
}

describe('names that cannot be kept', () => {
  it('are refused with the reason: too long, control characters, twice the same', async (t) => {
    const client = await startWithTarget(t)
    const { json } = await client.call('POST', '', { import: {} })
    const id = Number(json.import?.id)
    const content = collection(feature({ a: 1 }))
    const refused: [FilePart[], RegExp][] = [
      [[{ name: `${'a'.repeat(250)}.geojson`, content }], /longer than 255 bytes/],
      [
        [{ name: 'a\u0001b.geojson', content }],
        /"a\?b\.geojson" cannot be used: it contains a control character/,
      ],
      [
        [
          { name: 'a.geojson', content },
          { name: 'a.geojson', content },
        ],
        /two files named "a\.geojson"/,
      ],
    ]
    for (const [files, message] of refused) {
      const answer = await client.upload(id, files)
      assert.equal(answer.status, 400, answer.text)
      assert.match(String(answer.json.detail), message)
    }
    assert.deepEqual((await client.call('GET', `/${id}/tasks`)).json, { tasks: [] })
  })
})

describe('one wrong row far down a large file', () => {
  it('is the only one that is rejected, under its number', async (t) => {
    const client = await startWithTarget(t)
    const incoming = join(client.server.dataDir, 'incoming')
    mkdirSync(incoming, { recursive: true })
    const geometry = (number: number): string => `{"type":"Point","coordinates":[${number % 180},5]}`
    const row = (shape: string, number: number): string =>
      `{"type":"Feature","geometry":${shape},"properties":{"a":${number}}}\n`
    await writeHuge(
      join(incoming, 'huge.ndjson'),
      '',
      (number) => row(geometry(number), number),
      row('{"type":"Point","coordinates":["x",5]}', hugeRow),
    )
    await writeHuge(
      join(incoming, 'huge.csv'),
      'a,wkt\n',
      (number) => `${number},POINT(${number % 180} 5)\n`,
      `${hugeRow},POINT(x 5)\n`,
    )
    for (const file of ['huge.ndjson', 'huge.csv']) {
      const { task, rejects } = await loadPath(client, file)
      assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
      assert.equal(task.rowsRead, 1_000_000)
      assert.equal(task.rowsLoaded, 999_999)
      assert.equal(task.rejected, 1)
      assert.deepEqual(
        rejects.map(({ properties }) => properties?._row),
        [hugeRow],
      )
      assert.ok(String(rejects[0]?.properties?._reason).length > 10)
    }
  })
})
