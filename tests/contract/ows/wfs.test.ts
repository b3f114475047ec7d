import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { collection } from '../../support/wfs-trees.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

interface Answer {
  status: number
  type: string
  text: string
}

for (const [shape, settings] of Object.entries(shapes)) {
  describe(`WFS with ${shape}`, () => {
    let client: ImporterClient
    const ask = async (query: string, { path = '/wfs', isAnonymous = false } = {}): Promise<Answer> => {
      const reply = await client.server.app.inject({
        method: 'GET',
        url: `${path}?${query}`,
        headers: isAnonymous ? {} : client.server.admin,
      })
      return { status: reply.statusCode, type: String(reply.headers['content-type']), text: reply.body }
    }
    const get = 'service=WFS&version=2.0.0&request=GetFeature&typeNames=default:trees'
    const ids = (text: string): string[] =>
      [...text.matchAll(/gml:id="(trees\.[^."]*)"/g)].map(([, id = '']) => id)

    before(async () => {
      client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', ...(await settings()) } }))
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(
        id,
        ['trees', 'bushes'].map((name) => ({ name: `${name}.geojson`, content: collection })),
      )
      await client.call('POST', `/${id}`)
    })
    after(() => client.server.close())

    it('tells what it has in both versions', async () => {
      for (const version of ['2.0.0', '1.1.0']) {
        const { status, text } = await ask(`service=WFS&request=GetCapabilities&version=${version}`)
        assert.equal(status, 200, text)
        assert.match(text, new RegExp(`<WFS_Capabilities version="${version}"`))
        assert.match(text, /<Name>default:trees<\/Name>/)
      }
    })

    it('gives features as GML 3.2, with authority axes for urns and x first for codes', async () => {
      const { status, text } = await ask(get)
      assert.equal(status, 200, text)
      assert.match(text, /numberMatched="4" numberReturned="4"/)
      assert.match(text, /srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>50 10<\/gml:pos>/)
      assert.equal(ids(text).length, 4)
      const plain = await ask(`${get}&srsName=EPSG:4326`)
      assert.match(plain.text, /srsName="EPSG:4326"><gml:pos>10 50<\/gml:pos>/)
    })

    it('resolves each id that it gives where two workspaces have a layer of one name', async () => {
      for (const workspace of ['east', 'west.side']) {
        const made = await client.server.app.inject({
          method: 'POST',
          url: '/rest/workspaces',
          headers: client.server.admin,
          payload: { workspace: { name: workspace } },
        })
        assert.equal(made.statusCode, 201, made.body)
        const created = await client.call('POST', '', {
          import: { targetWorkspace: { workspace: { name: workspace } } },
        })
        const id = Number(created.json.import?.id)
        const content = collection.replaceAll('oak', workspace)
        await client.upload(id, [{ name: 'twin.geojson', content }])
        await client.call('POST', `/${id}`)
      }
      const twins = 'service=WFS&version=2.0.0&request=GetFeature'
      const idsIn = (text: string): string[] =>
        [...text.matchAll(/<[^ ]*:twin gml:id="([^"]*)"/g)].map(([, id = '']) => id)
      for (const workspace of ['east', 'west.side']) {
        const { text } = await ask(`${twins}&typeNames=${workspace}:twin`)
        const [first = '', ...others] = idsIn(text)
        assert.equal(others.length, 3, text)
        const byId = await ask(`${twins}&storedquery_id=GetFeatureById&id=${first}`)
        assert.match(byId.text, new RegExp(`gml:id="${first}"[^]*<[^>]*kind>${workspace}<`))
        for (const types of ['', `&typeNames=${workspace}:twin`]) {
          const again = await ask(`${twins}${types}&resourceId=${first},${others.at(-1)}`)
          assert.deepEqual(idsIn(again.text), [first, others.at(-1)], again.text)
        }
        const rid = `<Filter xmlns="http://www.opengis.net/fes/2.0"><ResourceId rid="${first}"/></Filter>`
        const filtered = await ask(`${twins}&typeNames=${workspace}:twin&filter=${encodeURIComponent(rid)}`)
        assert.deepEqual(idsIn(filtered.text), [first], filtered.text)
        const own = await ask(`${twins}&typeNames=twin&count=1`, { path: `/${workspace}/wfs` })
        const [plain = ''] = idsIn(own.text)
        assert.match(plain, /^twin\./)
        const ownAgain = await ask(`${twins}&resourceId=${plain}`, { path: `/${workspace}/wfs` })
        assert.deepEqual(idsIn(ownAgain.text), [plain], ownAgain.text)
      }
      const ambiguous = await ask(`${twins}&resourceId=twin.1`)
      assert.equal(ambiguous.status, 400)
      assert.match(ambiguous.text, /east:twin, west.side:twin/)
    })

    it('gives pages with links', async () => {
      const { text } = await ask(`${get}&count=2&sortBy=n%20DESC`)
      assert.match(text, /numberMatched="4" numberReturned="2"/)
      const [, next = ''] = /next="([^"]*)"/.exec(text) ?? []
      assert.match(next, /startindex=2/)
    })

    it('gives features by their ids', async () => {
      const { text } = await ask(
        'service=WFS&version=2.0.0&request=GetFeature&resourceId=trees.3,trees.1,trees.99',
      )
      assert.deepEqual(ids(text), ['trees.1', 'trees.3'])
      assert.match(text, /numberMatched="2" numberReturned="2"/)
      assert.deepEqual(ids((await ask(`${get}&featureID=trees.2,shrubs.3`)).text), ['trees.2'])
      const stored =
        'service=WFS&version=2.0.0&request=GetFeature&storedquery_id=urn:ogc:def:query:OGC-WFS::GetFeatureById'
      const one = await ask(`${stored}&id=trees.2`)
      assert.match(
        one.text,
        /^<\?xml [^>]*\?>\n<default:trees xmlns:default="[^"]*".* gml:id="trees.2">.*<\/default:trees>\n$/,
      )
      const gone = await ask(`${stored}&id=trees.99`)
      assert.equal(gone.status, 404)
      assert.match(gone.text, /exceptionCode="NotFound"/)
    })

    it('tells where the features are that it counts', async () => {
      const hits = await ask(`${get}&resultType=hits&count=3&sortBy=n+D`)
      const [, next = '', rest = ''] =
        /numberMatched="4" numberReturned="0" next="([^"]*)"([^>]*)>/.exec(hits.text) ?? []
      assert.doesNotMatch(rest, /previous=/)
      const first = await ask(next.replaceAll('&amp;', '&').split('?')[1] ?? '')
      assert.match(first.text, /numberMatched="4" numberReturned="3"/)
      assert.deepEqual(ids(first.text), ids((await ask(`${get}&count=3&sortBy=n+D`)).text))
      const none = await ask(`${get}&resultType=hits&cql_filter=n%3E9`)
      assert.match(none.text, /numberMatched="0" numberReturned="0">/)
    })

    it('refuses ids of another type than the one that is asked for', async () => {
      const typed = 'service=WFS&request=GetFeature&typeNames=default:'
      for (const [requested, given] of [
        ['bushes', 'trees.1'],
        ['trees', 'trees.1,bushes.1'],
        ['bushes', 'two.dots,trees.1'],
      ] as const) {
        const { status, text } = await ask(`${typed}${requested}&version=2.0.0&resourceId=${given}`)
        assert.equal(status, 400, text)
        assert.match(text, /exceptionCode="InvalidParameterValue" locator="resourceid"/)
      }
      const both = `service=WFS&version=2.0.0&request=GetFeature&typeNames=(trees)(bushes)&resourceId=trees.1,bushes.2`
      assert.match((await ask(both)).text, /numberMatched="2"/)
      for (const unknown of ['test-5f3b', 'nowhere.1', 'nowhere.at.all']) {
        const { status, text } = await ask(`${get}&resourceId=${unknown}`)
        assert.equal(status, 200, text)
        assert.match(text, /numberMatched="0"/)
        const stored = `service=WFS&version=2.0.0&request=GetFeature&storedquery_id=GetFeatureById&id=${unknown}`
        const gone = await ask(stored)
        assert.equal(gone.status, 404, gone.text)
        assert.match(gone.text, /exceptionCode="NotFound"/)
      }
      const older = await ask(
        `${typed.replace('typeNames', 'typeName')}trees&version=1.1.0&featureId=bushes.1`,
      )
      assert.match(older.text, /numberOfFeatures="0"/)
    })

    it('takes what GML has for every feature as a property without a value', async () => {
      const filter = (inside: string): string => `${get}&filter=${encodeURIComponent(inside)}`
      const isNull = (name: string): string =>
        `<fes:PropertyIsNull xmlns:fes="http://www.opengis.net/fes/2.0"><fes:ValueReference>${name}</fes:ValueReference></fes:PropertyIsNull>`
      const around = (inside: string): string =>
        `<fes:Filter xmlns:fes="http://www.opengis.net/fes/2.0">${inside}</fes:Filter>`
      assert.equal(ids((await ask(filter(around(isNull('gml:name'))))).text).length, 4)
      const some = around(`<fes:Not>${isNull('gml:boundedBy')}</fes:Not>`)
      assert.equal(ids((await ask(filter(some))).text).length, 0)
      const place =
        '<gml:Envelope xmlns:gml="http://www.opengis.net/gml/3.2"><gml:lowerCorner>0 0</gml:lowerCorner><gml:upperCorner>9 9</gml:upperCorner></gml:Envelope>'
      const box = around(
        `<fes:BBOX><fes:ValueReference>gml:description</fes:ValueReference>${place}</fes:BBOX>`,
      )
      const { status, text } = await ask(filter(box))
      assert.equal(status, 400, text)
      assert.match(text, /exceptionCode="(?:InvalidParameterValue|OperationProcessingFailed)"/)
    })

    it('gives the values of a property, each that is there', async () => {
      const values =
        'service=WFS&version=2.0.0&request=GetPropertyValue&typeNames=default:trees&valueReference='
      const membersOf = async (
        query: string,
      ): Promise<{ counts: string; members: string[]; text: string }> => {
        const { status, type, text } = await ask(query)
        assert.equal(status, 200, text)
        assert.equal(type, 'application/gml+xml; version=3.2')
        const [, counts = ''] =
          /<wfs:ValueCollection [^>]*(numberMatched="\d+" numberReturned="\d+")/.exec(text) ?? []
        const members = [...text.matchAll(/<wfs:member>(.*)<\/wfs:member>\n/g)].map(([, one = '']) => one)
        return { counts, members, text }
      }
      for (const name of ['kind', 'default:kind', 'default:trees/default:kind', '//kind'])
        assert.deepEqual((await membersOf(values + name)).members, [
          '<default:kind>oak</default:kind>',
          '<default:kind>Größe "x" &lt;&amp;&gt;</default:kind>',
          '<default:kind></default:kind>',
        ])
      const large = await membersOf(`${values}n&cql_filter=n%3E1&bbox=10,50,12,52,EPSG:4326&sortBy=n+D`)
      assert.deepEqual(large.members, ['<default:n>3</default:n>', '<default:n>2</default:n>'])
      assert.equal(large.counts, 'numberMatched="2" numberReturned="2"')
      const ofIds = await membersOf(`${values}@gml:id`)
      assert.deepEqual(ofIds.members, ['trees.1', 'trees.2', 'trees.3', 'trees.4'])
      const places = await membersOf(`${values}geometry&resourceId=trees.2,trees.4&srsName=EPSG:4326`)
      assert.deepEqual(places.members, [
        '<default:geometry><gml:Point gml:id="trees.2.g" srsName="EPSG:4326"><gml:pos>11 51</gml:pos></gml:Point></default:geometry>',
      ])
      assert.equal(places.counts, 'numberMatched="1" numberReturned="1"')
      const stored = `service=WFS&version=2.0.0&request=GetPropertyValue&valueReference=n&storedquery_id=urn:ogc:def:query:OGC-WFS::GetFeatureById&id=trees.2`
      assert.deepEqual((await membersOf(stored)).members, ['<default:n>2</default:n>'])
      const unused = await membersOf(`${values}gml:name`)
      assert.deepEqual(unused.members, [])
      assert.equal(unused.counts, 'numberMatched="0" numberReturned="0"')

      const first = await membersOf(`${values}kind&count=2`)
      assert.equal(first.counts, 'numberMatched="3" numberReturned="2"')
      const [, next = ''] = /next="([^"]*)"/.exec(first.text) ?? []
      const [path = '', query = ''] = next.replaceAll('&amp;', '&').split('?')
      assert.match(path, /\/wfs$/)
      const second = await membersOf(query)
      assert.deepEqual(second.members, ['<default:kind></default:kind>'])
      assert.equal(second.counts, 'numberMatched="3" numberReturned="1"')
      const hits = await ask(`${values}kind&resultType=hits`)
      assert.match(hits.text, /<wfs:ValueCollection [^>]*numberMatched="3" numberReturned="0"/)
    })

    it('refuses values of what is not a property, of older versions and in other formats', async () => {
      const values = (more: string): string => `service=WFS&request=GetPropertyValue&typeNames=trees${more}`
      for (const [more, code, locator] of [
        ['&version=2.0.0', 'MissingParameterValue', 'valuereference'],
        ['&version=2.0.0&valueReference=', 'InvalidParameterValue', 'valuereference'],
        ['&version=2.0.0&valueReference=nothing', 'InvalidParameterValue', 'valuereference'],
        ['&version=2.0.0&valueReference=n&outputFormat=json', 'InvalidParameterValue', 'outputformat'],
        ['&version=1.1.0&valueReference=n', 'OperationNotSupported', 'request'],
      ] as const) {
        const { status, text } = await ask(values(more))
        assert.ok(status >= 400 && status < 500, text)
        assert.match(text, new RegExp(`exceptionCode="${code}" locator="${locator}"`), more)
      }
    })

    it('heads a table by what is shown, also where it has no rows', async () => {
      const table = `${get}&outputFormat=csv&propertyName=kind`
      const [some, none] = [await ask(`${table}&count=1`), await ask(`${table}&cql_filter=kind='none'`)]
      assert.equal(some.text.split('\r\n')[0], 'id,kind')
      assert.equal(none.text, 'id,kind\r\n')
    })

    it('gives a Shapefile', async () => {
      const reply = await client.server.app.inject({
        method: 'GET',
        url: `/wfs?${get}&outputFormat=SHAPE-ZIP&count=2&startIndex=1&sortBy=n`,
        headers: client.server.admin,
      })
      assert.equal(reply.statusCode, 200, reply.body)
      assert.equal(reply.headers['content-type'], 'application/zip')
      assert.ok(reply.rawPayload.subarray(0, 4).equals(Buffer.from('PK\x03\x04')))
    })

    it('finds the same by Filter Encoding as by CQL2', async () => {
      const property = (name: string): string => `<ValueReference>default:${name}</ValueReference>`
      const value = (text: string): string => `<Literal>${text}</Literal>`
      const compared = (op: string, name: string, text: string, more = ''): string =>
        `<PropertyIs${op}${more}>${property(name)}${value(text)}</PropertyIs${op}>`
      const point = (position: string, more = ''): string =>
        `<gml:Point${more}><gml:pos>${position}</gml:pos></gml:Point>`
      const box =
        '<gml:Envelope srsName="EPSG:4326"><gml:lowerCorner>9 49</gml:lowerCorner><gml:upperCorner>11.5 51.5</gml:upperCorner></gml:Envelope>'
      const like = (pattern: string, more = ''): string =>
        `<PropertyIsLike wildCard="*" singleChar="." escapeChar="!"${more}>${property('kind')}${value(pattern)}</PropertyIsLike>`
      const cases: [fes: string, cql: string][] = [
        [compared('EqualTo', 'n', '2'), 'n = 2'],
        [compared('NotEqualTo', 'n', ' 2 '), 'n <> 2'],
        [compared('LessThan', 'n', '2.5'), 'n < 2.5'],
        [compared('GreaterThanOrEqualTo', 'n', '2e0'), 'n >= 2'],
        [compared('EqualTo', 'kind', 'Größe "x" &lt;&amp;&gt;'), `kind = 'Größe "x" <&>'`],
        [compared('EqualTo', 'kind', 'OAK', ' matchCase="false"'), "CASEI(kind) = CASEI('oak')"],
        [`<PropertyIsNull>${property('kind')}</PropertyIsNull>`, 'kind IS NULL'],
        [`<Not><PropertyIsNull>${property('geometry')}</PropertyIsNull></Not>`, 'geometry IS NOT NULL'],
        [like('*a.'), "kind LIKE '%a_'"],
        [like('O*', ' matchCase="false"'), "CASEI(kind) LIKE CASEI('o%')"],
        [like('%!**'), "kind LIKE '\\%*%'"],
        [
          `<PropertyIsBetween>${property('n')}<LowerBoundary>${value('2')}</LowerBoundary><UpperBoundary>${value('3')}</UpperBoundary></PropertyIsBetween>`,
          'n BETWEEN 2 AND 3',
        ],
        [
          `<Or>${compared('EqualTo', 'n', '1')}<And>${compared('GreaterThan', 'n', '1')}${compared('LessThan', 'n', '3')}</And></Or>`,
          'n = 1 OR (n > 1 AND n < 3)',
        ],
        [`<BBOX>${property('geometry')}${box}</BBOX>`, 'S_INTERSECTS(geometry, BBOX(9,49,11.5,51.5))'],
        [`<BBOX>${box}</BBOX>`, 'S_INTERSECTS(geometry, BBOX(9,49,11.5,51.5))'],
        [`<Equals>${property('geometry')}${point('51 11')}</Equals>`, 'S_EQUALS(geometry, POINT(11 51))'],
        [
          `<Disjoint>${property('geometry')}${point('11 51', ' srsName="EPSG:4326"')}</Disjoint>`,
          'S_DISJOINT(geometry, POINT(11 51))',
        ],
        [
          `<Within>${property('geometry')}<gml:Polygon srsName="urn:ogc:def:crs:EPSG::4326"><gml:exterior><gml:LinearRing><gml:posList>49 9 49 11.5 51.5 11.5 51.5 9 49 9</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></Within>`,
          'S_WITHIN(geometry, POLYGON((9 49, 11.5 49, 11.5 51.5, 9 51.5, 9 49)))',
        ],
      ]
      for (const [fes, cql] of cases) {
        const expected = ids((await ask(`${get}&cql_filter=${encodeURIComponent(cql)}`)).text)
        const newer = `<fes:Filter xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2">${fes.replace(/<(\/?)(?!\/|gml:)/g, '<$1fes:')}</fes:Filter>`
        const older = `<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml">${fes.replace(/<(\/?)(?!\/|gml:)/g, '<$1ogc:').replaceAll('ValueReference', 'PropertyName')}</ogc:Filter>`
        const found = await ask(`${get}&filter=${encodeURIComponent(newer)}`)
        assert.equal(found.status, 200, found.text)
        assert.deepEqual(ids(found.text), expected, cql)
        const get11 = 'service=WFS&version=1.1.0&request=GetFeature&typeName=trees'
        const again = await ask(`${get11}&filter=${encodeURIComponent(older)}`)
        assert.deepEqual(ids(again.text), expected, `${cql} in 1.1`)
      }
      const byId = '<Filter><ResourceId rid="trees.3"/><ResourceId rid="trees.1"/></Filter>'
      assert.deepEqual(ids((await ask(`${get}&filter=${encodeURIComponent(byId)}`)).text), [
        'trees.1',
        'trees.3',
      ])
    })

    it('refuses filters that it cannot understand, whole', async () => {
      const many = `${'<Not>'.repeat(200)}${'</Not>'.repeat(200)}`
      for (const [filter, code] of [
        ['<Filter', 'InvalidParameterValue'],
        ['<!DOCTYPE a [<!ENTITY b "c">]><Filter>&b;</Filter>', 'InvalidParameterValue'],
        ['<Filter/>', 'InvalidParameterValue'],
        [
          '<Filter><PropertyIsEqualTo><PropertyName>nope</PropertyName><Literal>1</Literal></PropertyIsEqualTo></Filter>',
          'InvalidParameterValue',
        ],
        ['<Filter><DWithin/></Filter>', 'InvalidParameterValue'],
        ['<Filter><constructor/></Filter>', 'OperationNotSupported'],
        [
          '<Filter><BBOX><Envelope><lowerCorner>NaN 1</lowerCorner><upperCorner>1 1</upperCorner></Envelope></BBOX></Filter>',
          'InvalidParameterValue',
        ],
        [`<Filter>${many}</Filter>`, 'InvalidParameterValue'],
      ] as const) {
        const { status, text } = await ask(`${get}&filter=${encodeURIComponent(filter)}`)
        assert.equal(status, 400, text)
        assert.match(text, new RegExp(`exceptionCode="${code}"`), filter)
      }
    })

    it('gives features of several types, one type after the other', async () => {
      const several = get.replace('default:trees', '(trees)(default:trees)')
      assert.equal(ids((await ask(several)).text).length, 4)
      const created = await client.call('POST', '', {
        import: { targetStore: { dataStore: { name: 'default' } } },
      })
      const id = Number(created.json.import?.id)
      await client.upload(id, [{ name: 'shrubs.geojson', content: collection }])
      await client.call('POST', `/${id}`)
      const both = get.replace('default:trees', '(trees)(shrubs)')
      const all = (text: string): string[] =>
        [...text.matchAll(/gml:id="([a-z]*\.[^."]*)"/g)].map(([, one = '']) => one)
      const { text } = await ask(`${both}&startIndex=3&count=2`)
      assert.deepEqual(all(text), ['trees.4', 'shrubs.1'])
      assert.match(text, /numberMatched="8" numberReturned="2"/)
      assert.equal(text.match(/<wfs:FeatureCollection timeStamp/g)?.length, 2)
      const older = await ask('service=WFS&version=1.1.0&request=GetFeature&typeName=trees,shrubs')
      assert.equal(all(older.text).length, 8)
      const json = JSON.parse((await ask(`${both}&outputFormat=json`)).text) as {
        features: unknown[]
        numberMatched: number
      }
      assert.deepEqual([json.features.length, json.numberMatched], [8, 8])
      assert.match((await ask(`${both}&resultType=hits`)).text, /numberMatched="8" numberReturned="0"/)
      const mixed = 'service=WFS&version=2.0.0&request=GetFeature&resourceId=shrubs.2,trees.1'
      assert.deepEqual(all((await ask(mixed)).text).sort(), ['shrubs.2', 'trees.1'])
    })
  })
}
