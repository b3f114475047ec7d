import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf, listOf } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { ask } from '../../support/version-client.ts'
import { addVersionStores } from '../../support/version-stores.ts'

/** Every kind of geometry, most without Z and M. */
const rows = [
  ['CIRCULARSTRING (0 0,1 1,2 0)', 'LINESTRING ZM'],
  ['CURVEPOLYGON (CIRCULARSTRING (0 0,4 0,4 4,0 4,0 0))', 'POLYGON ZM'],
  ['TIN Z (((0 0 5,0 1 6,1 1 7,0 0 5)))', 'MULTIPOLYGON ZM'],
  ['TRIANGLE ((0 0,1 0,1 1,0 0))', 'POLYGON ZM'],
  ['POINT M (1 2 3)', 'POINT ZM (1 2 0 3)'],
  ['POINT Z (1 2 3)', 'POINT ZM (1 2 3 0)'],
  ['POINT (1 2)', 'POINT ZM (1 2 0 0)'],
  ['MULTIPOLYGON EMPTY', 'MULTIPOLYGON ZM EMPTY'],
  [
    'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))',
    'GEOMETRYCOLLECTION ZM (POINT ZM (1 2 0 0),LINESTRING ZM (0 0 0 0,1 1 0 0))',
  ],
] as const

describe('a layer with Z or M in some of its geometries', needsGdal, () => {
  let server: TestApp
  let client: ImporterClient
  const cleanups: (() => unknown)[] = []
  const folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
  const source = join(folder, 'source.csv')

  before(async () => {
    server = await createTestApp()
    client = clientOf(server)
    await addVersionStores(server)
    const lines = rows.map(([text], index) => `${index + 1},"${text}"`)
    writeFileSync(source, `n,geom\n${lines.join('\n')}\n`)
  })
  after(async () => {
    await server.close()
    for (const cleanup of cleanups) await cleanup()
  })

  /** Loads a file into a store; gives the task. */
  async function load(file: string, name: string, store: 'file' | 'table'): Promise<Json> {
    const targetStore = { dataStore: { name: store } }
    const created = await client.call('POST', '', {
      import: { targetWorkspace: { workspace: { name: 'default' } }, targetStore },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: basename(file), content: readFileSync(file) }])
    await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { name, srs: 'EPSG:4326' } } })
    await client.call('POST', `/${id}`)
    const { task } = (await client.call('GET', `/${id}/tasks/0`)).json
    return task as Json
  }

  async function written(format: string, extension: string, from: readonly string[] = []): Promise<string> {
    const file = join(folder, `mixed_${from.length}.${extension}`)
    const args = [
      '-f',
      format,
      file,
      source,
      '-oo',
      'GEOM_POSSIBLE_NAMES=geom',
      '-oo',
      'KEEP_GEOM_COLUMNS=NO',
    ]
    await runProgram('ogr2ogr', [
      ...args,
      '-oo',
      'AUTODETECT_TYPE=YES',
      '-a_srs',
      'EPSG:4326',
      '-nln',
      'mixed',
      ...from,
    ])
    return file
  }

  const geometries = async (layer: string): Promise<unknown> => {
    const { json } = await ask(server, 'GET', `/ogc/collections/default:${layer}/items?sortby=n`)
    return listOf(json['features']).map(({ geometry, properties }) => [geometry, properties?.n])
  }

  /** Returns true if row `n` meets the condition, one of those below. */
  const isTaken = (where: string, n: number): boolean =>
    where === 'n > 4' ? n > 4 : [...where.matchAll(/\d+/g)].some(([digits]) => Number(digits) === n)

  const outcome = ({ state, rowsLoaded, rejected }: Json): unknown[] => [String(state), rowsLoaded, rejected]

  it('is loaded whole from a GeoPackage into both stores, and says that 0 was filled in', async () => {
    const file = await written('GPKG', 'gpkg')
    for (const store of ['file', 'table'] as const) {
      const task = await load(file, `in_${store}`, store)
      assert.deepEqual(outcome(task), ['COMPLETE', rows.length, 0], JSON.stringify(task))
      const filled = listOf(task['messages']).find(({ code }) => String(code) === 'mixed-dimensions')
      assert.match(String(filled?.message), /^9 geometries have no Z or M, .* becomes 0$/)
    }
    const texts = await runSql(
      await fileDatabase(),
      `select ST_AsText(geom) as text from public.in_table order by n`,
    )
    const spaced = (text: string): string => text.replaceAll(/\s*([(),])\s*/g, '$1')
    for (const [index, [, expected]] of rows.entries())
      assert.ok(
        spaced(String(texts[index]?.['text'])).startsWith(spaced(expected)),
        `${String(texts[index]?.['text'])} ${expected}`,
      )
  })

  for (const [format, extension, where] of [
    ['FlatGeobuf', 'fgb', 'n in (5, 6, 7)'],
    ['FlatGeobuf', 'fgb', 'n in (6, 7)'],
    ['GeoJSON', 'geojson', 'n in (6, 7, 8, 9)'],
    ['CSV', 'csv', 'n > 4'],
    ['GML', 'gml', 'n in (6, 7, 9)'],
    ['SQLite', 'sqlite', 'n > 4'],
    ['GPKG', 'gpkg', 'n in (6, 7)'],
  ] as const)
    it(`becomes the same in both stores from ${format} of ${where}`, async () => {
      const options = format === 'CSV' ? ['-lco', 'GEOMETRY=AS_WKT'] : []
      const file = await written(format, extension, ['-where', where, ...options])
      const name = `of_${extension}_${where.replaceAll(/\W+/g, '_')}`
      const inFile = await load(file, `${name}_f`, 'file')
      const inTable = await load(file, `${name}_t`, 'table')
      const { length } = rows.filter((_, at) => isTaken(where, at + 1))
      assert.deepEqual(outcome(inFile), ['COMPLETE', length, 0], JSON.stringify(inFile))
      assert.deepEqual(outcome(inTable), outcome(inFile))
      assert.deepEqual(inTable['messages'], inFile['messages'])
      const [one, other] = await Promise.all([`${name}_f`, `${name}_t`].map(geometries))
      assert.deepEqual(one, other)
    })
})
