import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { publishNewLayer } from '../../../src/catalog/rows/publication.ts'
import { defined } from '../../../src/core/values/defined.ts'
import { csv } from '../../../src/formats/csv/csv.ts'
import { fromXmlName, xmlName } from '../../../src/formats/writing/gml/xml-text.ts'
import type { Schema } from '../../../src/geo/schema.ts'
import { dateText, timestampText, timeText } from '../../../src/geo/time-text.ts'
import { writeGeometryText } from '../../../src/geo/wkb-to-wkt.ts'
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
const gml = join(import.meta.dirname, '..', '..', 'fixtures', 'gml')
const validator = join(import.meta.dirname, '..', '..', 'support', 'validate-features.py')

/** A feature as texts: values by name, null where there is none. */
interface FeatureTexts {
  id: string
  geometry: string | null
  values: Record<string, string | null>
}

/** Names that are no valid XML element names, and names that some escaping schemes would produce. */
const hardNames = [
  'Größe',
  '名前',
  'two words',
  'two_x0020_words',
  'two_words',
  '1st',
  '_1st',
  'a:b',
  'a<b',
  'a&b',
  'a"b',
  "a'b",

  '-',
  'xml',
  'gml:id',
  'ID',
  'name',
  'description',
  'боль',
  'é'.normalize('NFD'),
  '🎉',
  'ａ',
  'a,b',
  'a/b',
]
const odd = {
  schema: schemaOf(Object.fromEntries(hardNames.map((name) => [name, 'text' as const])), 'Point'),
  rows: [{ geometry: wkb('Point', [1, 2]), values: hardNames.map((name) => `value of ${name}`) }],
}
const utm: Schema = schemaOf(
  { name: 'text', size: 'float64' },
  { name: 'geom', type: 'Point', hasZ: true, hasM: false, crs: { srs: 'EPSG:25832' } },
)
const grid = Array.from(
  { length: 3000 },
  (_, at): Row => ({
    geometry: wkb('Point', [500_000 + at, 5_500_000, at / 4], 'xyz'),
    values: [`place ${at} ${'é'.repeat(40)}`, at / 8],
  }),
)
const controls = {
  schema: schemaOf({ text: 'text' }, 'Point'),
  rows: ['a\u0007b\u001f', '\u0085\u2028', '\ufffe'].map((text) => ({ geometry: null, values: [text] })),
}

function formOf(value: Value, type: string): string | null {
  if (value === null) return null
  if (type === 'date') return dateText(value as number)
  if (type === 'time') return timeText(value as bigint)
  if (type === 'timestamp') return timestampText(value as bigint)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)
}

interface Page {
  features: { id: number }[]
  links?: { rel: string; href: string }[]
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', '#13': '\r' }

/** Reads the features of a WFS collection. An XML reader converts each line ending to one character. */
async function readGml(body: Buffer): Promise<FeatureTexts[]> {
  const plain = (text: string): string =>
    text.replace(/&([^;]*);/g, (_, name: string) => entities[name] ?? '?')
  const members = body
    .toString('utf8')
    .replace(/\r\n?/g, '\n')
    .split(/<(?:wfs:m|gml:featureM)ember>/)
    .slice(1)
  return members.map((member) => {
    const values = [...member.matchAll(/<default:([^ >]*)>([^<]*)<\/default:\1>/g)].map(
      ([, name = '', text = '']) => [fromXmlName(name), plain(text)] as const,
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

async function readJson(body: Buffer): Promise<FeatureTexts[]> {
  const read = JSON.parse as (
    text: string,
    revive: (key: string, value: unknown, context: { source: string }) => unknown,
  ) => {
    features: { id: string; geometry: { coordinates: string[] } | null; properties: FeatureTexts['values'] }[]
  }
  const { features } = read(body.toString('utf8'), (_key, value, { source }) =>
    typeof value === 'string' || typeof value === 'object' ? value : source,
  )
  return features.map(({ id, geometry, properties }) => ({
    id,
    geometry:
      geometry && `POINT${geometry.coordinates.length === 3 ? ' Z' : ''} (${geometry.coordinates.join(' ')})`,
    values: properties,
  }))
}

async function readCsv(body: Buffer): Promise<FeatureTexts[]> {
  const { layer, rows, rejects } = await readLayer(csv, keep('features.csv', body))
  assert.deepEqual(rejects, [])
  return rows.map(({ geometry, values }) => {
    const { attributes } = layer.schema
    const reported = attributes.map(({ name, type }, at) => [name, formOf(values[at] ?? null, type)] as const)
    // If a column has that name, the ids are in the first column, under another name.
    const [[, id] = [], ...others] = reported
    return { id: id ?? '', geometry, values: Object.fromEntries(others) }
  })
}

const readers = { gml32: readGml, gml3: readGml, json: readJson, csv: readCsv }
const formats = Object.keys(readers) as (keyof typeof readers)[]

/** Returns what a schema validator reports about features of documents. */
function validate(
  documents: { schema: string; document: string }[],
): Promise<{ count: number; errors: string[] }[]> {
  return new Promise((resolve, reject) => {
    const child = execFile('/usr/bin/python3', [validator], { maxBuffer: 1 << 26 }, (error, stdout) =>
      error === null ? resolve(JSON.parse(stdout) as { count: number; errors: string[] }[]) : reject(error),
    )
    child.stdin?.end(JSON.stringify({ folder: gml, documents }))
  })
}

function describeValues(name: string, connect: (app: TestApp) => Promise<StoreConnection>): void {
  describe(`features of ${name} through WFS`, () => {
    let app: TestApp
    const held = new Map<string, FeatureTexts[]>()
    const tables = { things: everyType('Point'), odd, grid: { schema: utm, rows: grid }, controls }
    before(async () => {
      app = await createTestApp()
      const connection = await connect(app)
      const store = await app.catalog.stores.create({
        workspace: 'default',
        name: 'places',
        kind: 'dataStore',
        connection,
      })
      const vectorStore = await app.catalog.stores.open(store)
      for (const [table, { schema, rows }] of Object.entries(tables)) {
        const { result } = await loadRows(vectorStore, { table, schema, rows })
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
        const srs = schema.geometry?.crs?.srs
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

    const ask = async (query: string) => {
      const url = `/wfs?service=WFS&version=2.0.0&${query}`
      const reply = await app.app.inject({ method: 'GET', url, headers: app.admin })
      assert.equal(reply.statusCode, 200, reply.body.slice(0, 600))
      return reply.rawPayload
    }
    const features = (table: string, format: string, more = ''): Promise<Buffer> =>
      ask(`request=GetFeature&typeNames=default:${table}&outputFormat=${format}${more}`)

    for (const format of formats)
      it(`are what the store holds, value by value: ${format}`, async () => {
        for (const table of ['things', 'odd']) {
          const source = held.get(table) ?? []
          const read = await readers[format](await features(table, format, '&srsName=EPSG:4326'))
          assert.equal(read.length, source.length)
          for (const [at, { id, geometry, values }] of source.entries()) {
            const found = read[at]
            assert.equal(found?.id, id)
            assert.equal(found.geometry, geometry)
            for (const [column, value] of Object.entries(values)) {
              const own: string | null = found.values[column] ?? null
              const form = (text: string | null): string | null =>
                text !== null && /float|decimal/.test(column) ? String(Number(text)) : text
              assert.equal(form(own), form(value), `${column} of ${id}`)
            }
          }
        }
      })

    it('have values that are asked for one property at a time, those that are there', async () => {
      for (const table of ['things', 'odd']) {
        const source = held.get(table) ?? []
        const valuesOf = async (reference: string): Promise<string[]> => {
          const query = `request=GetPropertyValue&typeNames=default:${table}&srsName=EPSG:4326`
          const body = String(await ask(`${query}&valueReference=${encodeURIComponent(reference)}`))
          const members = body.replace(/\r\n?/g, '\n').split('<wfs:member>').slice(1)
          assert.match(
            body,
            new RegExp(` numberMatched="${members.length}" numberReturned="${members.length}"`),
          )
          return members.map((one) => one.slice(0, one.lastIndexOf('</wfs:member>')))
        }
        assert.deepEqual(
          await valuesOf('@gml:id'),
          source.map(({ id }) => `${table}.${id}`),
        )
        const [first] = await readGml(await features(table, 'gml32', '&srsName=EPSG:4326'))
        const columns = Object.keys(first?.values ?? {}).length
        assert.ok(columns > 0)
        const [whole] = source
        for (const name of Object.keys(whole?.values ?? {})) {
          const found = await valuesOf(name)
          const read = await readGml(Buffer.from(found.map((one) => `<wfs:member>${one}`).join('')))
          const expected = source.flatMap(({ values }) => values[name] ?? [])
          const form = (text: string | null | undefined): string | null =>
            text != null && /float|decimal/.test(name) ? String(Number(text)) : (text ?? null)
          assert.deepEqual(
            read.map(({ values }) => form(values[name])),
            expected.map(form),
            name,
          )
        }
      }
      // As in filters, a column of the same name is meant before what GML has for every feature.
      const own = String(await ask('request=GetPropertyValue&typeNames=odd&valueReference=gml:description'))
      assert.match(
        own,
        /<wfs:member><default:description>value of description<\/default:description><\/wfs:member>/,
      )
      const body = String(await ask('request=GetPropertyValue&typeNames=grid&valueReference=geom'))
      const read = await readGml(Buffer.from(body))
      assert.deepEqual(
        read.map(({ geometry }) => geometry),
        held.get('grid')?.map(({ geometry }) => geometry),
      )
    })

    it('come in parts, with heights, in the CRS of the layer and in others', async () => {
      const source = held.get('grid') ?? []
      for (const format of formats) {
        const read = await readers[format](await features('grid', format))
        assert.deepEqual(
          read.map(({ geometry }) => geometry),
          source.map(({ geometry }) => geometry),
          format,
        )
      }
      const [first] = await readGml(
        await features('grid', 'gml32', '&count=1&srsName=urn:ogc:def:crs:EPSG::4326'),
      )
      assert.match(first?.geometry ?? '', /^POINT Z \(49\.6\d* 9 0\)$/)
    })

    it('have U+FFFD where XML has no place for a character, which other formats have', async () => {
      for (const format of ['gml32', 'gml3'])
        assert.deepEqual(
          (await readGml(await features('controls', format))).map(({ values }) => values['text']),
          ['a\ufffdb\ufffd', '\u0085\u2028', '\ufffd'],
        )
      assert.deepEqual(
        (await readJson(await features('controls', 'json'))).map(({ values }) => values['text']),
        held.get('controls')?.map(({ values }) => values['text']),
      )
    })

    it('are valid by the schema that describes them', async () => {
      const documents = await Promise.all(
        ['things', 'odd', 'grid', 'controls'].flatMap((table) =>
          (['gml32', 'gml3'] as const).map(async (format) => ({
            schema: String(
              await ask(`request=DescribeFeatureType&typeNames=default:${table}&outputFormat=${format}`),
            ),
            document: String(await features(table, format, '&count=50')),
          })),
        ),
      )
      const reported = await validate(documents)
      // The validator supports decimals of 24 digits at most.
      const isOurs = (error: string): boolean => !/'-?\d{25,}[^']*' is not .* 'xs:decimal'/.test(error)
      assert.deepEqual(
        reported.map(({ errors }) => errors.filter(isOurs)),
        reported.map(() => []),
      )
      assert.ok(reported.every(({ count }) => count > 0))
    })

    it('are found, ordered and shown by names as they are, and as names in XML', async () => {
      const [whole] = held.get('odd') ?? []
      const names = Object.keys(whole?.values ?? {})
      assert.equal(names.length, hardNames.length)
      for (const property of names) {
        // Names with a comma are requested by the same name as in XML.
        const named = encodeURIComponent(property.includes(',') ? xmlName(property) : property)
        const [one] = await readGml(
          await features('odd', 'gml32', `&propertyName=${named}&sortBy=${named}+D`),
        )
        assert.deepEqual(one?.values, { [property]: whole?.values[property] }, property)
      }
      const escaped = names.map((one) => encodeURIComponent(`default:${xmlName(one)}`)).join(',')
      const [one] = await readGml(await features('odd', 'gml32', `&propertyName=${escaped}`))
      assert.deepEqual(one?.values, whole?.values)
    })

    it('come page by page, each once, by counting and by the links', async () => {
      for (const sort of ['', '&sortBy=size+D']) {
        const counted: string[] = []
        for (let start = 0; start < 3000; start += 700) {
          const page = await readGml(await features('grid', 'gml32', `&count=700&startIndex=${start}${sort}`))
          counted.push(...page.map(({ id }) => id))
        }
        assert.equal(new Set(counted).size, 3000)
        const linked: string[] = []
        const query = `request=GetFeature&typeNames=grid&outputFormat=json&count=500${sort}`
        for (let next: string | undefined = `/wfs?service=WFS&version=2.0.0&${query}`; next !== undefined; ) {
          const reply = await app.app.inject({ method: 'GET', url: next, headers: app.admin })
          const page: Page = reply.json()
          linked.push(...page.features.map(({ id }) => String(id)))
          const href: string | undefined = page.links?.find(({ rel }) => rel === 'next')?.href
          next = href && new URL(href).pathname + new URL(href).search
        }
        assert.deepEqual(linked, counted)
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
  parameters: { path: join(app.directory.stores, 'features.gpkg') },
}))
