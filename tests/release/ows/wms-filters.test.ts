import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { convertVector } from '../../support/gdal-session.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { until } from '../../support/until.ts'
import { ask, mapQuery, rgbaOf } from '../../support/wms-maps.ts'

interface Field {
  name: string
  people: number
  since: string | null
  /** Lower left corner, in degrees; each field is 2 degrees wide. */
  x: number
  y: number
}

const hostile = `O'Hare; "x" --漢]]> ' %_ using unique`
const fields: Field[] = Array.from({ length: 24 }, (_, at) => ({
  name: at === 5 ? hostile : `field ${at}`,
  people: at * 100,
  since: at % 4 === 0 ? null : `20${10 + at}-05-01`,
  x: (at % 6) * 4,
  y: 40 + Math.floor(at / 6) * 4,
}))

function collection(shown: readonly Field[]): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    features: shown.map(({ name, people, since, x, y }) => ({
      type: 'Feature',
      properties: { name, people, since },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [x, y],
            [x + 2, y],
            [x + 2, y + 2],
            [x, y + 2],
            [x, y],
          ],
        ],
      },
    })),
  })
}

/** Filters and the fields that they leave. */
const filters: [query: string, leaves: (field: Field) => boolean][] = [
  ['cql_filter=people>1200', ({ people }) => people > 1200],
  [`cql_filter=${encodeURIComponent("name LIKE 'field 1%'")}`, ({ name }) => name.startsWith('field 1')],
  [
    `cql_filter=${encodeURIComponent(`name = '${hostile.replaceAll("'", "''")}'`)}`,
    ({ name }) => name === hostile,
  ],
  [
    'cql_filter=since IS NULL OR people IN (100,300)',
    ({ since, people }) => since === null || people === 100 || people === 300,
  ],
  [`cql_filter=${encodeURIComponent("CASEI(name) = CASEI('FIELD 3')")}`, ({ name }) => name === 'field 3'],
  [
    'cql_filter=S_INTERSECTS(geometry,POLYGON((3 39,11 39,11 47,3 47,3 39)))',
    ({ x, y }) => x >= 4 && x <= 8 && y <= 44,
  ],
  ['cql_filter=INCLUDE', () => true],
  ['cql_filter=EXCLUDE', () => false],
  [
    `filter=${encodeURIComponent('<Filter xmlns="http://www.opengis.net/ogc"><PropertyIsLessThan><PropertyName>people</PropertyName><Literal>500</Literal></PropertyIsLessThan></Filter>')}`,
    ({ people }) => people < 500,
  ],
  ['time=2015-05-01', ({ since }) => since === '2015-05-01'],
  ['time=2013/2016-05-01/P1D', ({ since }) => since !== null && since >= '2013' && since <= '2016-05-01'],
  ['time=2030-05-02/..,2011', ({ since }) => since !== null && (since >= '2030-05-02' || since < '2012')],
  ['time=2011-05-01T00:00:00Z', ({ since }) => since === '2011-05-01'],
  ['time=1990', () => false],
  ['time=current', () => true],
  [
    'time=../2020&cql_filter=people>300',
    ({ since, people }) => since !== null && since < '2021' && people > 300,
  ],
]

const sources = ['GeoPackage', 'PostGIS', 'a served file'] as const

for (const source of sources) {
  describe(`filters of maps of ${source}`, () => {
    let client: ImporterClient
    const ending: (() => void)[] = []
    const layerOf = async (name: string, shown: readonly Field[]): Promise<void> => {
      const folder = join(client.server.dataDir, 'incoming')
      writeFileSync(join(folder, `${name}.geojson`), collection(shown))
      // Both formats have dates, which FlatGeobuf stores as timestamps.
      const ending = source === 'a served file' ? 'fgb' : 'gpkg'
      convertVector(join(folder, `${name}.geojson`), join(folder, `${name}.${ending}`), ['-nln', name])
      const data = { type: 'file', file: `${name}.${ending}` }
      const target = source === 'a served file' ? {} : { targetStore: { dataStore: { name: 'store' } } }
      const created = await client.call('POST', '?exec=true', { import: { data, ...target } })
      assert.equal(created.status, 201, created.text)
      const { json, text } = await client.call('GET', `/${created.json.import?.id}`)
      assert.equal(json.import?.state, 'COMPLETE', text)
    }
    before(async () => {
      const env: Record<string, string> =
        source === 'PostGIS' ? { TERRANE_DATABASE_URL: await createCatalogDatabase() } : {}
      client = await startImporter({ after: (work: () => void) => ending.push(work) } as never, { env })
      if (source !== 'a served file') {
        const dataStore = {
          name: 'store',
          type: source,
          connectionParameters:
            source === 'PostGIS'
              ? storeParameters(await fileDatabase())
              : { database: `${client.server.dataDir}/stores/own.gpkg` },
        }
        const made = await client.server.app.inject({
          method: 'POST',
          url: '/rest/workspaces/default/datastores',
          headers: client.server.admin,
          payload: { dataStore },
        })
        assert.equal(made.statusCode, 201, made.body)
      }
      await layerOf('fields', fields)
      for (const [at, [, leaves]] of filters.entries()) {
        const left = fields.filter(leaves)
        if (left.length > 0) await layerOf(`some${at}`, left)
      }
    })
    after(async () => {
      for (const end of ending.reverse()) await end()
    })
    const map = (layers: string, srs = 'EPSG:4326'): string =>
      mapQuery(
        layers
          .split(',')
          .map((name) => `default:${name}`)
          .join(),
        srs,
        srs === 'EPSG:4326' ? [-1, 39, 25, 58] : [-100_000, 4_700_000, 2_700_000, 7_900_000],
        [260, 190],
      )

    it('leave what a layer has that holds those features alone', async () => {
      // The CRS of the map matters to boxes and places alone.
      for (const [at, [query, leaves]] of filters.entries())
        for (const srs of /INTERSECTS|INCLUDE|EXCLUDE/.test(query)
          ? ['EPSG:4326', 'EPSG:3857']
          : ['EPSG:4326']) {
          const found = await rgbaOf(await ask(client, `${map('fields', srs)}&${query}`))
          const isEmpty = !fields.some(leaves)
          const expected = isEmpty
            ? new Uint8Array(found.length)
            : await rgbaOf(await ask(client, map(`some${at}`, srs)))
          const differing = found.filter(
            (value, index) => Math.abs(value - (expected[index] ?? 0)) > 8,
          ).length
          assert.ok(differing < found.length * 0.002, `${query} in ${srs}: ${differing} of ${found.length}`)
          const drawn = found.filter((value, index) => index % 4 === 3 && value > 0).length
          assert.equal(drawn > 0, !isEmpty, query)
        }
    })

    it('go with each of several layers, with features by their ids, and with what is at a point', async () => {
      const two = await rgbaOf(
        await ask(
          client,
          `${map('fields,some0')}&cql_filter=${encodeURIComponent("name='a;b' OR people<0;INCLUDE")}`,
        ),
      )
      assert.deepEqual(two, await rgbaOf(await ask(client, map('some0'))))
      const items = await client.server.app.inject({
        url: '/ogc/collections/default:fields/items?filter=people=700',
        headers: client.server.admin,
      })
      const [{ id }] = items.json<{ features: [{ id: string | number }] }>().features
      const one = await rgbaOf(await ask(client, `${map('fields')}&featureid=fields.${id}`))
      const same = await rgbaOf(await ask(client, `${map('fields')}&cql_filter=people=700`))
      assert.deepEqual(one, same)
      assert.ok(one.some((value) => value > 0))
      const none = await rgbaOf(await ask(client, `${map('fields')}&featureid=others.1`))
      assert.ok(none.every((value) => value === 0))
      // Field 7 is at 4, 44.
      const point = `${map('fields').replace('GetMap', 'GetFeatureInfo')}&query_layers=default:fields&x=60&y=125&info_format=application/json`
      const reported = async (filter: string): Promise<number> =>
        (JSON.parse((await ask(client, `${point}${filter}`)).text) as { features: object[] }).features.length
      assert.equal(await reported(''), 1)
      assert.equal(await reported('&cql_filter=people=700'), 1)
      assert.equal(await reported('&cql_filter=people=600'), 0)
      assert.equal(await reported(`&featureid=fields.${id}`), 1)
      assert.equal(await reported('&featureid=fields.999999'), 0)
      assert.equal(await reported('&time=2017'), 1)
      assert.equal(await reported('&time=2016/2017-04-30'), 0)
    })

    it('by time stand in capabilities with the first and the last, and what is not a time is refused', async () => {
      for (const [version, dimension] of [
        ['1.3.0', /<Dimension units="ISO8601" name="time" default="([^"]+)"[^>]*>([^<]+)<\/Dimension>/],
        ['1.1.1', /<Extent name="time" default="([^"]+)"[^>]*>([^<]+)<\/Extent>/],
      ] as const) {
        let found: RegExpExecArray | null = null
        // Capabilities leave out what is still being read from the layer.
        await until(async () => {
          const { text } = await ask(client, `version=${version}&request=GetCapabilities`)
          const own = text.split('<Name>default:fields</Name>')[1]?.split('<Layer ')[0] ?? ''
          found = dimension.exec(own)
          return found !== null
        })
        const [, usual = '', extent = ''] = found ?? []
        assert.match(usual, /^2011-05-01[^/]*\/2033-05-01[^/]*$/)
        assert.match(extent, /^2011-05-01[^/]*\/2033-05-01[^/]*\/P(?:1D|T1S)$/)
      }
      for (const time of [
        'yesterday',
        '2011-13-01',
        '2012/2011',
        '2011/2012/P',
        `${'2011,'.repeat(300)}2011`,
      ]) {
        const { status, text } = await ask(client, `${map('fields')}&time=${time}`)
        assert.equal(status, 400, time)
        assert.match(text, /code="InvalidDimensionValue"/, time)
      }
    })

    it('are refused where they are none, with a reason', async () => {
      for (const [query, code, says] of [
        ['cql_filter=people>', 'InvalidParameterValue', ''],
        ['cql_filter=nonsense=1', 'InvalidParameterValue', 'nonsense'],
        ['cql_filter=area(geometry)>1', 'OperationNotSupported', 'area'],
        ['cql_filter=INCLUDE;people=1', 'InvalidParameterValue', '2 filters for 1 layers'],
        ['cql_filter=people=1&featureid=1', 'InvalidParameterValue', 'Only one'],
        ['filter=<Filter/>', 'InvalidParameterValue', ''],
        [`filter=${encodeURIComponent('<!DOCTYPE a []><Filter/>')}`, 'InvalidParameterValue', 'DOCTYPE'],
        [`cql_filter=${'NOT '.repeat(200)}people=1`, 'InvalidParameterValue', ''],
      ] as const) {
        const { status, text } = await ask(client, `${map('fields')}&${query}`)
        assert.equal(status, 400, `${query}: ${text}`)
        assert.match(text, new RegExp(`code="${code}"`), `${query}: ${text}`)
        assert.match(text, new RegExp(says), query)
      }
    })
  })
}
