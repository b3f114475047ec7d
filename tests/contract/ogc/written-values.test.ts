import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { publishNewLayer } from '../../../src/catalog/rows/publication.ts'
import { defined } from '../../../src/core/values/defined.ts'
import { csv } from '../../../src/formats/csv/csv.ts'
import { flatgeobuf } from '../../../src/formats/flatgeobuf/flatgeobuf.ts'
import type { Format } from '../../../src/formats/format.ts'
import type { WrittenFormatName } from '../../../src/formats/writing/written-formats.ts'
import { writtenFormats } from '../../../src/formats/writing/written-formats.ts'
import type { Schema } from '../../../src/geo/schema.ts'
import { dateText, timestampText, timeText } from '../../../src/geo/time-text.ts'
import { writeGeometryText } from '../../../src/geo/wkb-to-wkt.ts'
import type { ServedStore } from '../../../src/stores/reading/served-store.ts'
import type { StoreConnection } from '../../../src/stores/store.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import type { Row, Value } from '../../support/batches.ts'
import { rowsOf, schemaOf, wkb } from '../../support/batches.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { readLayer } from '../../support/read-layer.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'
import { everyType } from '../../support/written-layers.ts'
import { loadRows } from '../store-session.ts'

const keep = temporaryFiles()
const many = 3000
const utm: Schema = schemaOf(
  { name: 'text', size: 'float64' },
  { name: 'geom', type: 'Point', hasZ: true, hasM: false, crs: { srs: 'EPSG:25832' } },
)

/** A feature as texts: values by name, null where there is none. */
interface FeatureTexts {
  id: string
  geometry: string | null
  values: Record<string, string | null>
}

/** Converts a value to the form in which all formats are compared. */
function formOf(value: Value, type: string): string | null {
  if (value === null) return null
  if (type === 'date') return dateText(value as number)
  if (type === 'time') return timeText(value as bigint)
  if (type === 'timestamp') return timestampText(value as bigint)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)
}

/** FlatGeobuf has days as moments. */
const dayOf = (text: string | null): string | null =>
  text?.replace(/^(\d{4}-\d\d-\d\d)T00:00:00Z$/, '$1') ?? null

function readBy(format: Format, ending: string) {
  return async (body: Buffer): Promise<FeatureTexts[]> => {
    const { layer, rows, rejects } = await readLayer(format, keep(`items${ending}`, body))
    assert.deepEqual(rejects, [])
    return rows.map(({ geometry, values }) => {
      const { attributes } = layer.schema
      const reported = attributes.map(
        ({ name, type }, at) => [name, formOf(values[at] ?? null, type)] as const,
      )
      const { id, ...others } = Object.fromEntries(reported)
      return { id: id ?? '', geometry, values: others }
    })
  }
}

type Json = { [name: string]: Json } | Json[] | string | null

/** Parses JSON with numbers as written. */
function exactJson(text: string): Json {
  const read = JSON.parse as (
    text: string,
    revive: (key: string, value: unknown, { source }: { source: string }) => unknown,
  ) => Json
  return read(text, (_key, value, { source }) =>
    typeof value === 'string' || typeof value === 'object' ? value : source,
  )
}

async function readJson(body: Buffer): Promise<FeatureTexts[]> {
  const { features } = exactJson(body.toString('utf8')) as unknown as {
    features: {
      id: string
      geometry: { coordinates: string[] } | null
      properties: Record<string, string | null>
    }[]
  }
  return features.map(({ id, geometry, properties }) => {
    const dimension = geometry?.coordinates.length === 3 ? ' Z' : ''
    return {
      id,
      geometry: geometry === null ? null : `POINT${dimension} (${geometry.coordinates.join(' ')})`,
      values: properties,
    }
  })
}

async function readGml(body: Buffer): Promise<FeatureTexts[]> {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', '#13': '\r' }
  const plain = (text: string): string =>
    text.replace(/&([^;]*);/g, (_, name: string) => entities[name] ?? '?')
  const members = body.toString('utf8').replace(/\r\n?/g, '\n').split('<sf:featureMember>').slice(1)
  return members.map((member) => {
    const values = [...member.matchAll(/<a:([^ >]*)>([^<]*)<\/a:\1>/g)].map(
      ([, name = '', text = '']) => [name.replaceAll('_x0020_', ' '), plain(text)] as const,
    )
    const [, position] = /<gml:pos>([^<]*)<\/gml:pos>/.exec(member) ?? []
    const dimension = member.includes('srsDimension="3"') ? ' Z' : ''
    return {
      id: /gml:id="[^".]*\.([^"]*)"/.exec(member)?.[1] ?? '',
      geometry: position === undefined ? null : `POINT${dimension} (${position})`,
      values: Object.fromEntries(values),
    }
  })
}

const readers = {
  csv: readBy(csv, '.csv'),
  flatgeobuf: readBy(flatgeobuf, '.fgb'),
  jsonfg: readJson,
  gml: readGml,
} satisfies Partial<Record<WrittenFormatName, (body: Buffer) => Promise<FeatureTexts[]>>>
const formats = Object.keys(readers) as (keyof typeof readers)[]

it('has a reader for each written format', () => {
  assert.deepEqual(new Set<string>(formats), new Set(Object.keys(writtenFormats)))
})

function describeValues(name: string, connect: (app: TestApp) => Promise<StoreConnection>): void {
  describe(`features of ${name} in every format`, () => {
    let app: TestApp
    let vectorStore: ServedStore
    const held = new Map<string, FeatureTexts[]>()
    before(async () => {
      app = await createTestApp()
      const connection = await connect(app)
      const store = await app.catalog.stores.create({
        workspace: 'default',
        name: 'places',
        kind: 'dataStore',
        connection,
      })
      vectorStore = await app.catalog.stores.open(store)
      const { schema, rows } = everyType('Point')
      const grid = Array.from(
        { length: many },
        (_, at): Row => ({
          geometry: wkb('Point', [500_000 + at, 5_500_000, at / 4], 'xyz'),
          values: [`place ${at} ${'é'.repeat(40)}`, at / 8],
        }),
      )
      for (const [table, own, data] of [
        ['things', schema, rows],
        ['grid', utm, grid],
      ] as const) {
        const { result } = await loadRows(vectorStore, { table, schema: own, rows: data })
        const description = await vectorStore.findTable(table)
        assert.ok(description)
        const featureTexts: FeatureTexts[] = []
        const query = { table, limit: 10_000, offset: 0 }
        for await (const { batch, ids } of vectorStore.readFeatures(query, new AbortController().signal))
          for (const [at, { geometry, values }] of rowsOf(batch).entries())
            featureTexts.push({
              id: ids[at] ?? '',
              geometry: geometry === null ? null : writeGeometryText(geometry),
              values: Object.fromEntries(
                batch.schema.attributes.map((one, column) => [
                  one.name,
                  formOf(values[column] ?? null, one.type),
                ]),
              ),
            })
        held.set(table, featureTexts)
        const srs = own.geometry?.crs?.srs
        const details = {
          kind: 'vector' as const,
          title: table,
          originalName: table,
          schema: description.schema,
          style: 'point',
          ...defined({ srs, envelope: result.envelope }),
        }
        const layer = {
          workspace: store.workspace,
          name: table,
          storeId: store.id,
          nativeName: table,
          details,
        }
        await publishNewLayer(app.database.kysely, layer, '2026-01-01T00:00:00.000Z')
      }
    })
    after(() => app.close())

    const items = async (table: string, query: string) => {
      const url = `/ogc/collections/default:${table}/items?${query}`
      const reply = await app.app.inject({ method: 'GET', url, headers: app.admin })
      assert.equal(reply.statusCode, 200, reply.body.slice(0, 300))
      return reply
    }

    for (const f of formats)
      it(`are what the store holds, value by value: ${f}`, async () => {
        const source = held.get('things') ?? []
        const read = await readers[f]((await items('things', `f=${f}&limit=1000`)).rawPayload)
        assert.equal(read.length, source.length)
        for (const [at, { id, geometry, values }] of source.entries()) {
          const found = read[at]
          assert.equal(found?.id, id)
          assert.equal(found.geometry, geometry, f)
          for (const [column, value] of Object.entries(values)) {
            const own: string | null = found.values[column] ?? null
            const form = (text: string | null): string | null =>
              text !== null && /float|decimal/.test(column) ? String(Number(text)) : text
            assert.equal(
              form(column.endsWith('date') ? dayOf(own) : own),
              form(value),
              `${f} ${column} of ${id}`,
            )
          }
        }
      })

    it('come in parts, in the CRS that is asked for, as many as there are', async () => {
      const source = held.get('grid') ?? []
      const crs = encodeURIComponent('http://www.opengis.net/def/crs/EPSG/0/25832')
      for (const f of formats) {
        const { rawPayload: body, headers } = await items('grid', `f=${f}&limit=10000&crs=${crs}`)
        const text =
          f === 'jsonfg'
            ? body.toString('utf8').replace(/"place":(\{.*?\}),"geometry":null/g, '"geometry":$1')
            : body
        const read = await readers[f](Buffer.from(text))
        assert.equal(headers['content-crs'], '<http://www.opengis.net/def/crs/EPSG/0/25832>')
        assert.deepEqual(
          read.map(({ geometry }) => geometry),
          source.map(({ geometry }) => geometry),
          f,
        )
      }
    })

    it('are found, ordered and cut down as GeoJSON is', async () => {
      const requested = 'sortby=-size&properties=size,geom&limit=5&filter=size%3C100'
      const { features } = (await items('grid', requested)).json<{
        features: { id: number; properties: object }[]
      }>()
      for (const f of formats) {
        const read = await readers[f]((await items('grid', `${requested}&f=${f}`)).rawPayload)
        assert.deepEqual(
          read.map(({ id, values }) => [Number(id), Object.keys(values), Number(values.size)]),
          features.map(({ id, properties }) => [id, ['size'], (properties as { size: number }).size]),
          f,
        )
        assert.equal((await readers[f]((await items('grid', `f=${f}&filter=size%3C0`)).rawPayload)).length, 0)
      }
    })

    it('are read no longer when the client has gone', async (test) => {
      const values = ['x'.repeat(4000)]
      const wide = Array.from({ length: 9000 }, (_, at): Row => ({ geometry: wkb('Point', [at, 0]), values }))
      test.after(() => vectorStore.dropTable('wide'))
      await loadRows(vectorStore, { table: 'wide', schema: schemaOf({ text: 'text' }, 'Point'), rows: wide })
      for (const f of formats) {
        const query = { table: 'wide', limit: 9000, offset: 0 }
        const about = { name: 'wide', title: 'wide', collection: 'http://x', schema: schemaOf({}, 'Point') }
        const gone = new AbortController()
        const parts = vectorStore.writePage(
          { query, srs: 'EPSG:4326', isYx: false, form: { name: f, about } },
          gone.signal,
        )
        let bytes = 0
        await assert.rejects(async () => {
          for await (const part of parts) {
            bytes += part.bytes.length
            gone.abort(new Error('The client went away'))
          }
        }, /went away/)
        assert.ok(bytes < 4_000_000, `${f}: ${bytes} bytes were written`)
      }
    })

    it('are for those who may read the layer', async () => {
      for (const f of formats) {
        const url = `/ogc/collections/default:things/items?f=${f}`
        assert.equal((await app.app.inject({ method: 'GET', url })).statusCode, 401, f)
      }
    })
  })
}

describeValues('PostGIS', async () => ({
  type: 'PostGIS',
  parameters: storeParameters(await fileDatabase()),
}))
describeValues('GeoPackage', async (app) => ({
  type: 'GeoPackage',
  parameters: { path: join(app.directory.stores, 'formats.gpkg') },
}))
