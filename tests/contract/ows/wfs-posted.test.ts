import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

const kinds = ['oak', 'Größe "x" <&>', '', null]
const collection = JSON.stringify({
  type: 'FeatureCollection',
  features: kinds.map((kind, at) => ({
    type: 'Feature',
    properties: { kind, n: at + 1 },
    geometry: { type: 'Point', coordinates: [10 + at, 50 + at] },
  })),
})

const newer =
  'xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:fes="http://www.opengis.net/fes/2.0" service="WFS"'
const older = 'xmlns:wfs="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc" service="WFS"'
const large =
  '<fes:And><fes:PropertyIsGreaterThan><fes:ValueReference>n</fes:ValueReference><fes:Literal>1</fes:Literal></fes:PropertyIsGreaterThan><fes:PropertyIsNotEqualTo><fes:ValueReference>default:kind</fes:ValueReference><fes:Literal>oak</fes:Literal></fes:PropertyIsNotEqualTo></fes:And>'
const descending =
  '<fes:SortBy><fes:SortProperty><fes:ValueReference>n</fes:ValueReference><fes:SortOrder>DESC</fes:SortOrder></fes:SortProperty></fes:SortBy>'

function getFeature(inside: string, more = ''): string {
  return `<wfs:GetFeature ${newer} version="2.0.0" ${more}><wfs:Query typeNames="default:trees">${inside}</wfs:Query></wfs:GetFeature>`
}

for (const [shape, settings] of Object.entries(shapes)) {
  describe(`WFS asked by XML with ${shape}`, () => {
    let client: ImporterClient
    const post = async (
      body: string | Buffer,
      { type = 'text/xml', path = '/wfs' }: { type?: string; path?: string } = {},
    ): Promise<{ status: number; text: string; type: string }> => {
      const headers = { ...client.server.admin, 'content-type': type }
      const reply = await client.server.app.inject({ method: 'POST', url: path, payload: body, headers })
      return { status: reply.statusCode, text: reply.body, type: String(reply.headers['content-type']) }
    }
    const ids = (text: string): string[] =>
      [...text.matchAll(/gml:id="(trees\.[^."]*)"/g)].map(([, id = '']) => id)
    const idsOf = async (...requested: Parameters<typeof post>): Promise<string[]> => {
      const { status, text } = await post(...requested)
      assert.equal(status, 200, text)
      return ids(text)
    }

    before(async () => {
      client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...(await settings()) } }))
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(id, [{ name: 'trees.geojson', content: collection }])
      await client.call('POST', `/${id}`)
    })
    after(() => client.server.close())

    it('gives the values of a property of one query', async () => {
      const ask = (reference: string, inside: string): string =>
        `<wfs:GetPropertyValue ${newer} version="2.0.0" valueReference="${reference}" count="2">${inside}</wfs:GetPropertyValue>`
      const query = `<wfs:Query typeNames="default:trees"><fes:Filter>${large}</fes:Filter>${descending}</wfs:Query>`
      const { status, text } = await post(ask('n', query))
      assert.equal(status, 200, text)
      assert.match(text, /numberMatched="2" numberReturned="2"/)
      assert.deepEqual(
        [...text.matchAll(/<wfs:member>(.*)<\/wfs:member>/g)].map(([, one]) => one),
        ['<default:n>3</default:n>', '<default:n>2</default:n>'],
      )
      const stored =
        '<wfs:StoredQuery id="urn:ogc:def:query:OGC-WFS::GetFeatureById"><wfs:Parameter name="ID">trees.2</wfs:Parameter></wfs:StoredQuery>'
      assert.match((await post(ask('n', stored))).text, /<wfs:member><default:n>2<\/default:n><\/wfs:member>/)
      for (const [body, reported] of [
        [ask('', query), /InvalidParameterValue" locator="valuereference"/],
        [ask('n', ''), /GetPropertyValue has no Query and no StoredQuery/],
        [ask('n', '<wfs:Nonsense/>'), /"?Nonsense(?:&quot;|") is not supported in GetPropertyValue/],
      ] as const) {
        const refused = await post(body)
        assert.equal(refused.status, 400, refused.text)
        assert.match(refused.text, reported)
      }
    })

    it('gives what the same asks by key and value, in both versions', async () => {
      assert.deepEqual(await idsOf(getFeature('')), ['trees.1', 'trees.2', 'trees.3', 'trees.4'])
      assert.deepEqual(await idsOf(getFeature(`<fes:Filter>${large}</fes:Filter>${descending}`)), [
        'trees.3',
        'trees.2',
      ])
      assert.deepEqual(await idsOf(getFeature(descending, 'count="2" startIndex="1"')), [
        'trees.3',
        'trees.2',
      ])
      const filter =
        '<ogc:Filter><ogc:PropertyIsNull><ogc:PropertyName>kind</ogc:PropertyName></ogc:PropertyIsNull></ogc:Filter>'
      const of11 = `<wfs:GetFeature ${older} version="1.1.0" maxFeatures="5"><wfs:Query typeName="trees"><wfs:PropertyName>n</wfs:PropertyName>${filter}</wfs:Query></wfs:GetFeature>`
      for (const path of ['/wfs', '/ows', '/default/wfs', '/default/ows']) {
        const { text, type } = await post(of11, { path })
        assert.deepEqual(ids(text), ['trees.4'], text)
        assert.match(type, /gml\/3\.1\.1/)
        assert.match(text, /<default:n>4<\/default:n>/)
        assert.doesNotMatch(text, /default:geometry/)
      }
      const byId = '<fes:Filter><fes:ResourceId rid="trees.2"/></fes:Filter>'
      assert.deepEqual(await idsOf(getFeature(byId)), ['trees.2'])
    })

    it('knows prefixes by their namespaces, as clients make them up', async () => {
      const { text } = await post(getFeature('', 'resultType="hits"'))
      const [, namespace = ''] = /xmlns:default="([^"]*)"/.exec(text) ?? []
      assert.match(text, /numberMatched="4" numberReturned="0"/)
      const requested = getFeature('').replace(
        '"default:trees"',
        `"feature:trees" xmlns:feature="${namespace}"`,
      )
      assert.equal((await idsOf(requested)).length, 4)
    })

    it('describes types and itself, and gives features by the stored query', async () => {
      const requested = `<wfs:DescribeFeatureType ${newer} version="2.0.0"><wfs:TypeName>default:trees</wfs:TypeName></wfs:DescribeFeatureType>`
      assert.match((await post(requested)).text, /name="trees"/)
      const versions =
        '<ows:AcceptVersions xmlns:ows="http://www.opengis.net/ows/1.1"><ows:Version>9.0</ows:Version><ows:Version>1.1.0</ows:Version></ows:AcceptVersions>'
      const reported = await post(`<wfs:GetCapabilities ${newer}>${versions}</wfs:GetCapabilities>`)
      assert.match(reported.text, /<WFS_Capabilities version="1.1.0"/)
      assert.match(reported.text, /<ows:Post /)
      assert.match((await post(`<wfs:GetCapabilities ${newer}/>`)).text, /<WFS_Capabilities version="2.0.0"/)
      const stored = `<wfs:GetFeature ${newer} version="2.0.0"><wfs:StoredQuery id="urn:ogc:def:query:OGC-WFS::GetFeatureById"><wfs:Parameter name="ID">trees.2</wfs:Parameter></wfs:StoredQuery></wfs:GetFeature>`
      assert.deepEqual(await idsOf(stored), ['trees.2'])
    })

    it('takes forms, and texts in other encodings', async () => {
      const form = 'service=WFS&version=2.0.0&request=GetFeature&typeNames=trees&count=1'
      assert.deepEqual(await idsOf(form, { type: 'application/x-www-form-urlencoded' }), ['trees.1'])
      const filter =
        '<fes:Filter><fes:PropertyIsEqualTo><fes:ValueReference>kind</fes:ValueReference><fes:Literal>Größe "x" &lt;&amp;&gt;</fes:Literal></fes:PropertyIsEqualTo></fes:Filter>'
      const named = `<?xml version="1.0" encoding="ISO-8859-1"?>${getFeature(filter)}`
      assert.deepEqual(await idsOf(Buffer.from(named, 'latin1')), ['trees.2'])
      const wide = Buffer.from(`\uFEFF${getFeature(filter)}`, 'utf16le')
      assert.deepEqual(await idsOf(wide, { type: 'application/xml' }), ['trees.2'])
    })

    it('reads geometries of filters as they are, or refuses them', async () => {
      const within = (geometry: string): string =>
        getFeature(
          `<fes:Filter><fes:Intersects><fes:ValueReference>geometry</fes:ValueReference>${geometry}</fes:Intersects></fes:Filter>`,
        )
      const ring = (side: number): string =>
        `<exterior><LinearRing><posList>9 49 ${9 + side} 49 ${9 + side} ${49 + side} 9 ${49 + side} 9 49</posList></LinearRing></exterior>`
      const patch = `<PolygonPatch>${ring(2.5)}</PolygonPatch>`
      const surface = (inside: string): string =>
        `<Surface srsName="EPSG:4326"><patches>${inside}</patches></Surface>`
      assert.deepEqual(await idsOf(within(surface(patch))), ['trees.1', 'trees.2'])
      const member = (more: string): string =>
        `<pointMember><Point${more}><pos>12 52</pos></Point></pointMember>`
      const points = (inside: string): string => `<MultiPoint srsName="EPSG:4326">${inside}</MultiPoint>`
      assert.deepEqual(await idsOf(within(points(member(' srsName="EPSG:4326"')))), ['trees.3'])
      for (const wrong of [
        surface(`${patch}${patch}`),
        surface(''),
        points(member(' srsName="urn:ogc:def:crs:EPSG::4326"')),
        '<Curve srsName="EPSG:4326"><segments><Arc><posList>9 49 10 50 11 49</posList></Arc></segments></Curve>',
      ]) {
        const { status, text } = await post(within(wrong))
        assert.equal(status, 400, text)
        assert.match(text, /exceptionCode="OperationNotSupported"/, wrong)
      }
      const { text } = await post(getFeature('<fes:Filter><fes:And/></fes:Filter>'))
      assert.match(text, /exceptionCode="InvalidParameterValue"/)
    })

    it('refuses what it cannot read by exceptions that say why', async () => {
      const bomb = `<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;">]>${getFeature('&c;')}`
      const other = `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${getFeature('&b;')}`
      const deep = `${'<fes:Not>'.repeat(5000)}${'</fes:Not>'.repeat(5000)}`
      const soap = '<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"/>'
      const cases: [body: string | Buffer, code: string, status?: number, type?: string][] = [
        [bomb, 'OperationParsingFailed'],
        [other, 'OperationParsingFailed'],
        [getFeature('&nbsp;'), 'OperationParsingFailed'],
        [getFeature(`<fes:Filter>${deep}</fes:Filter>`), 'OperationParsingFailed'],
        [getFeature('<fes:Filter/>'.repeat(20_001)), 'OperationParsingFailed'],
        ['<wfs:GetFeature', 'OperationParsingFailed'],
        [Buffer.from([0x3c, 0xff, 0xfe]), 'OperationParsingFailed'],
        [`<?xml version="1.0" encoding="none-such"?>${getFeature('')}`, 'OperationParsingFailed'],
        ['', 'OperationParsingFailed'],
        [soap, 'OperationNotSupported'],
        [`<wfs:CreateStoredQuery ${newer} version="2.0.0"/>`, 'OperationNotSupported'],
        [`<wfs:GetFeature ${older} version="0.9.0"/>`, 'InvalidParameterValue'],
        [`<wfs:GetFeature ${newer} version="2.0.0"/>`, 'MissingParameterValue'],
        [getFeature('<fes:Function name="area"/>'), 'InvalidParameterValue'],
        [getFeature('').replace('default:trees', 'a:x b:y'), 'OperationNotSupported'],
        [getFeature('').replace('default:trees', 'constructor'), 'InvalidParameterValue'],
        ['<Execute service="WPS"/>', 'InvalidParameterValue'],
        // By the form of the service that is named.
        ['<GetMap service="WMS"/>', 'OperationNotSupported'],
        [getFeature(''), 'InvalidParameterValue', 415, 'application/soap+xml'],
        [getFeature(''), 'InvalidParameterValue', 415, 'application/json'],
        [Buffer.alloc(10 * 2 ** 20, ' '), 'NoApplicableCode', 413],
      ]
      for (const [body, code, status = 400, type = 'text/xml'] of cases) {
        const found = await post(body, { type })
        const shown = `${body.toString('latin1').slice(0, 200)}: ${found.text.slice(0, 500)}`
        assert.equal(found.status, status, shown)
        assert.match(found.text, new RegExp(`(?:exceptionCode|ServiceException code)="${code}"`), shown)
        assert.doesNotMatch(found.text, /root:/)
      }
    })
  })
}
