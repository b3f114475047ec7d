import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { blockAt } from '../../support/document-blocks.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { testCluster } from '../../support/postgres.ts'

const catalogs = {
  'a GeoPackage': async () => ({}),
  PostGIS: async () => ({ TERRANE_DATABASE_URL: await (await testCluster()).createDatabase() }),
}
const content = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    ['oak', 1, 2.5],
    ['Größe', 2, -0.5],
    ['', 3, 0],
    [null, null, null],
  ].map(([kind, n, f]) => ({ type: 'Feature', properties: { kind, n, f }, geometry: null })),
})
const property = (name: string): string => `<ValueReference>${name}</ValueReference>`
const literal = (value: string): string => `<Literal>${value}</Literal>`
const called = (name: string, ...args: string[]): string =>
  `<Function name="${name}">${args.join('')}</Function>`
const compared = (op: string, ...sides: string[]): string =>
  `<PropertyIs${op}>${sides.join('')}</PropertyIs${op}>`

/** Filters with names of 2.0, what they are in CQL2, and the features that they find. */
const cases: [fes: string, cql: string, found: number[]][] = [
  [compared('EqualTo', called('length', property('kind')), literal('5')), 'LENGTH(kind) = 5', [2]],
  [compared('EqualTo', literal('GRÖSSE'), called('Upper', property('kind'))), "'GRÖSSE' = UPPER(kind)", [2]],
  [
    compared('EqualTo', called('accenti', called('lower', property('kind'))), literal('große')),
    "ACCENTI(LOWER(kind)) = 'große'",
    [2],
  ],
  [compared('Null', called('abs', property('f'))), 'ABS(f) IS NULL', [4]],
  [compared('GreaterThan', `<Add>${property('n')}${literal('1')}</Add>`, literal('2')), 'n + 1 > 2', [2, 3]],
  [compared('Null', `<Div>${property('n')}${property('f')}</Div>`), '(n / f) IS NULL', [3, 4]],
  [
    compared(
      'LessThan',
      `<Mul>${literal('-2')}<Sub>${property('f')}${literal('.5')}</Sub></Mul>`,
      called('round', property('f')),
    ),
    '-2 * (f - .5) < ROUND(f)',
    [1],
  ],
  [
    `<PropertyIsLike wildCard="*" singleChar="." escapeChar="!">${called('upper', property('kind'))}${literal('O*')}</PropertyIsLike>`,
    "UPPER(kind) LIKE 'O%'",
    [1],
  ],
]

const refused: [fes: string, message: RegExp][] = [
  [
    compared('EqualTo', called('pg_sleep', literal('9')), literal('1')),
    /The function &quot;pg_sleep&quot; is not offered/,
  ],
  [
    compared('EqualTo', called('constructor'), literal('1')),
    /The function &quot;constructor&quot; is not offered/,
  ],
  [compared('EqualTo', called('abs'), literal('1')), /&quot;abs&quot; takes one argument, not 0/],
  [
    compared('EqualTo', called('abs', property('kind')), literal('1')),
    /Argument 1 of &quot;abs&quot;, &quot;kind&quot;, is not of type number/,
  ],
  [
    compared('EqualTo', `<Add>${property('n')}${literal('x')}</Add>`, literal('1')),
    /Argument 2 of &quot;\+&quot;, 'x', is not of type number/,
  ],
  [compared('EqualTo', '<Div><Literal>1</Literal></Div>', literal('1')), /takes two arguments, not 1/],
  [
    compared('EqualTo', `${'<Sub>'.repeat(150)}${property('n')}${'</Sub>'.repeat(150)}`, literal('1')),
    /nested|deep/,
  ],
]

function filterOf(fes: string, version: '2.0.0' | '1.1.0'): string {
  const [uri, inside] =
    version === '2.0.0'
      ? ['http://www.opengis.net/fes/2.0', fes]
      : ['http://www.opengis.net/ogc', fes.replaceAll('ValueReference', 'PropertyName')]
  return encodeURIComponent(`<Filter xmlns="${uri}">${inside}</Filter>`)
}

for (const [store, settings] of Object.entries(catalogs)) {
  describe(`functions and arithmetic of Filter Encoding with ${store}`, () => {
    let client: ImporterClient
    before(async () => {
      client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...(await settings()) } }))
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(id, [{ name: 'trees.geojson', content }])
      await client.call('POST', `/${id}`)
    })
    after(() => client.server.close())

    async function ask(query: string): Promise<{ status: number; text: string }> {
      const { app, admin } = client.server
      const { statusCode, body } = await app.inject({ url: `/wfs?service=WFS&${query}`, headers: admin })
      return { status: statusCode, text: body }
    }

    async function found(version: string, condition: string): Promise<number[]> {
      const types = version === '2.0.0' ? 'typeNames' : 'typeName'
      const { status, text } = await ask(`version=${version}&request=GetFeature&${types}=trees&${condition}`)
      assert.equal(status, 200, text)
      return [...text.matchAll(/gml:id="trees\.(\d+)"/g)].map(([, id]) => Number(id))
    }

    it('find what CQL2 finds, in both versions and in cql_filter', async () => {
      for (const [fes, cql, expected] of cases) {
        for (const version of ['2.0.0', '1.1.0'] as const)
          assert.deepEqual(
            await found(version, `filter=${filterOf(fes, version)}`),
            expected,
            `${version} ${fes}`,
          )
        assert.deepEqual(await found('2.0.0', `cql_filter=${encodeURIComponent(cql)}`), expected, cql)
      }
    })

    it('find what the documented filter describes', async () => {
      const documented = blockAt('docs/filters.md > Filter Encoding > xml 1')
      const filter = documented.replace('>name<', '>kind<').replace('>12<', '>4<')
      assert.notEqual(filter, documented)
      assert.deepEqual(await found('2.0.0', `filter=${encodeURIComponent(filter)}`), [2])
    })

    it('are refused by an exception that names the function and the argument', async () => {
      for (const [fes, message] of refused) {
        const query = `version=2.0.0&request=GetFeature&typeNames=trees&filter=${filterOf(fes, '2.0.0')}`
        const { status, text } = await ask(query)
        assert.equal(status, 400, text)
        assert.match(text, message)
      }
    })

    it('are listed by the capabilities', async () => {
      const newer = await ask('version=2.0.0&request=GetCapabilities')
      assert.match(newer.text, /<fes:Function name="length"><fes:Returns>xs:int<\/fes:Returns>/)
      assert.match(newer.text, /name="ImplementsFunctions"><ows:NoValues\/><ows:DefaultValue>TRUE/)
      const older = await ask('version=1.1.0&request=GetCapabilities')
      assert.match(older.text, /<ogc:SimpleArithmetic\/>.*<ogc:FunctionName nArgs="1">length</)
    })
  })
}
