import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import type { Qgis } from '../../support/qgis.ts'
import { startQgis } from '../../support/qgis.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer, userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const versions = ['2.0.0', '1.1.0'] as const
const [user = '', password = ''] = userAndPassword.split(':')

/** Features of each geometry type, with the geometries that QGIS draws and moves. */
const kinds = {
  points: {
    first: { type: 'Point', coordinates: [10, 50] },
    second: { type: 'Point', coordinates: [11, 51] },
    third: { type: 'Point', coordinates: [12, 52] },
    drawn: 'Point (13.5 53.25)',
    moved: 'Point (10.125 50.5)',
  },
  lines: {
    first: {
      type: 'LineString',
      coordinates: [
        [10, 50],
        [11, 51],
      ],
    },
    second: {
      type: 'LineString',
      coordinates: [
        [1, 5],
        [2, 6],
      ],
    },
    third: {
      type: 'LineString',
      coordinates: [
        [3, 5],
        [4, 6],
      ],
    },
    drawn: 'LineString (13 53, 14 54, 15.5 54)',
    moved: 'LineString (10 50, 11 51.5, 12 52)',
  },
  areas: {
    first: {
      type: 'Polygon',
      coordinates: [
        [
          [0, 40],
          [2, 40],
          [2, 42],
          [0, 40],
        ],
      ],
    },
    second: {
      type: 'Polygon',
      coordinates: [
        [
          [4, 40],
          [6, 40],
          [6, 42],
          [4, 40],
        ],
      ],
    },
    third: {
      type: 'Polygon',
      coordinates: [
        [
          [7, 40],
          [9, 40],
          [9, 42],
          [7, 40],
        ],
      ],
    },
    drawn: 'Polygon ((10 40, 14 40, 14 44, 10 44, 10 40),(11 41, 12 42, 12 41, 11 41))',
    moved: 'Polygon ((0 40, 3 40, 3 43, 0 40))',
  },
} as const
type EditedLayer = keyof typeof kinds

interface Edited {
  isSaved: boolean
  errors: string[]
  rows: Record<string, [values: string[], wkt: string]>
}

interface Shown {
  features: { id: number; properties: Record<string, unknown>; geometry: unknown }[]
}

/** WKT as PostGIS and QGIS write it, in one form. */
function plainWkt(text: string): string {
  return text
    .replace(/^Multi(\w+) \((.*)\)$/, '$1 $2')
    .replaceAll(', ', ',')
    .replaceAll(' (', '(')
    .toLowerCase()
}

/** The features of a layer before the edits. */
function collectionOf(kind: EditedLayer): string {
  const { first, second, third } = kinds[kind]
  const features = [first, second, third].map((geometry, at) => ({
    type: 'Feature',
    geometry,
    properties: { name: ['first', 'second', 'third'][at], height: at + 0.5, n: at + 1 },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

describe('editing of features in QGIS by WFS', () => {
  const ends: (() => unknown)[] = []
  const cleanup = { after: (work: () => unknown) => ends.push(work) }
  let server: TestServer
  let qgis: Qgis
  let login: string
  before(async () => {
    const folder = temporaryData(cleanup)
    const sources = join(folder, 'sources')
    mkdirSync(sources)
    server = await startServer(cleanup, join(folder, 'data'), { TERRANE_IMPORT_ROOTS: folder })
    const database = await fileDatabase()
    for (const [name, type, schema] of [
      ['file', 'GeoPackage', ''],
      ['table', 'PostGIS', 'public'],
      ['theirs', 'PostGIS', 'theirs'],
    ] as const) {
      if (name === 'theirs') await makeTables(database)
      const connectionParameters = schema === '' ? {} : storeParameters(database, schema)
      const dataStore = { name, type, connectionParameters }
      const made = await server.call('POST', '/rest/workspaces/default/datastores', { dataStore })
      assert.equal(made.status, 201, made.text)
    }
    for (const kind of Object.keys(kinds) as EditedLayer[])
      for (const store of ['file', 'table']) await importKind(sources, kind, store)
    const published = await server.call('POST', '/rest/workspaces/default/datastores/theirs/tables', {
      publish: { include: ['*_theirs'] },
    })
    assert.equal(published.status, 200, published.text)
    for (const kind of Object.keys(kinds)) {
      const layer = { managed: 'edit' }
      const changed = await server.call('PUT', `/rest/layers/default:${kind}_theirs`, { layer })
      assert.equal(changed.status, 200, changed.text)
    }
    qgis = startQgis(cleanup)
    login = (await qgis.ask<{ id: string }>({ do: 'login', user, password })).id
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) await end()
  })

  /** Tables that another program made, with the same features. */
  async function makeTables(database: string): Promise<void> {
    await runSql(database, 'create extension if not exists postgis; create schema theirs')
    for (const kind of Object.keys(kinds) as EditedLayer[]) {
      const rows = [kinds[kind].first, kinds[kind].second, kinds[kind].third].map(
        (geometry, at) =>
          `('${['first', 'second', 'third'][at]}', ${at + 0.5}, ${at + 1}, ST_SetSRID(ST_GeomFromGeoJSON('${JSON.stringify(geometry)}'), 4326))`,
      )
      await runSql(
        database,
        `create table theirs.${kind}_theirs (gid serial primary key, name text, height float8, n int,
           geometry geometry(${kinds[kind].first.type}, 4326));
         insert into theirs.${kind}_theirs (name, height, n, geometry) values ${rows.join(', ')}`,
      )
    }
  }

  async function importKind(sources: string, kind: EditedLayer, store: string): Promise<void> {
    const file = `${kind}_${store}.geojson`
    writeFileSync(join(sources, file), collectionOf(kind))
    const made = await server.call('POST', '/rest/imports?exec=true', {
      import: {
        data: { type: 'file', location: `sources/${file}` },
        targetStore: { dataStore: { name: store } },
      },
    })
    assert.equal(made.json.import?.state, 'COMPLETE', made.text)
  }

  async function shown(layer: string): Promise<Shown['features']> {
    const { text } = await server.call('GET', `/ogc/collections/${layer}/items?limit=100`)
    return (JSON.parse(text) as Shown).features
  }

  for (const store of ['file', 'table', 'theirs'])
    for (const kind of Object.keys(kinds) as EditedLayer[])
      for (const version of versions)
        it(`saves added, changed and removed ${kind} with WFS ${version}, which are undone, in store ${store}`, async () => {
          const layer = `default:${kind}_${store}`
          const before = await shown(layer)
          const { drawn, moved } = kinds[kind]
          const { isSaved, errors, rows } = await qgis.ask<Edited>({
            do: 'edit',
            kind: 'WFS',
            uri: `srsname='EPSG:4326' typename='${layer}' url='${server.url}/wfs' version='${version}' authcfg=${login}`,
            key: 'name',
            names: ['height', 'n'],
            edits: [
              { do: 'add', wkt: drawn, values: { name: 'drawn & <new>', height: 9.25, n: 9 } },
              { do: 'change', of: 'first', wkt: moved, values: { height: -1.5 } },
              { do: 'change', of: 'second', values: { n: 22 } },
              { do: 'delete', of: 'third' },
            ],
          })
          assert.equal(isSaved, true, errors.join('\n'))
          const found = Object.fromEntries(
            (await shown(layer)).map(({ properties: { name, height, n } }) => [String(name), [height, n]]),
          )
          assert.deepEqual(found, { first: [-1.5, 1], second: [1.5, 22], 'drawn & <new>': [9.25, 9] })
          assert.equal(plainWkt(rows['drawn & <new>']?.[1] ?? ''), plainWkt(drawn))
          assert.equal(plainWkt(rows['first']?.[1] ?? ''), plainWkt(moved))
          assert.deepEqual(rows['second']?.[0], ['1.5', '22'])
          await undo(layer)
          assert.deepEqual(await shown(layer), before)
        })

  /** Restores the version before the edits: of a table of others Terrane has to be allowed to load it. */
  async function undo(layer: string): Promise<void> {
    const { text } = await server.call('GET', `/rest/layers/${layer}/versions`)
    const { versions: listed } = JSON.parse(text) as { versions: { version: number; cause: string }[] }
    const [edits, previous] = listed
    assert.equal(edits?.cause, 'edit', text)
    const body = { what: ['data'] }
    const path = `/rest/layers/${layer}/versions/${previous?.version}/restore`
    const isTheirs = layer.endsWith('_theirs')
    if (isTheirs) await server.call('PUT', `/rest/layers/${layer}`, { layer: { managed: 'load' } })
    const restored = await server.call('POST', path, body)
    assert.equal(restored.status, 200, restored.text)
    if (isTheirs) await server.call('PUT', `/rest/layers/${layer}`, { layer: { managed: 'edit' } })
  }
})
