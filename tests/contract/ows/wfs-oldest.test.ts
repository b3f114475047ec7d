import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { addEditedStores, editedStores, shownFeatures } from '../../support/edited-layers.ts'
import {
  featureOf,
  idsIn,
  importFeatures,
  namespaceOfTypes,
  postWfs,
  wfsXml,
} from '../../support/wfs-transactions.ts'

const trees = [
  featureOf({ kind: 'oak', n: 1 }, 'Point', [10, 50]),
  featureOf({ kind: 'elm', n: 2 }, 'Point', [11, 51]),
]

describe('WFS 1.0.0', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await addEditedStores(server)
    for (const store of editedStores)
      await importFeatures(server, { name: `trees_${store}`, store, features: trees })
  })
  after(() => server.close())

  const get = async (query: string): Promise<{ status: number; text: string }> => {
    const url = `/wfs?service=WFS&version=1.0.0&${query}`
    const reply = await server.app.inject({ method: 'GET', url, headers: server.admin })
    return { status: reply.statusCode, text: reply.body }
  }

  it('describes itself and its types in GML 2', async () => {
    const { status, text } = await get('request=GetCapabilities')
    assert.equal(status, 200, text)
    assert.match(text, /<WFS_Capabilities version="1.0.0"/)
    assert.match(
      text,
      /<Name>default:trees_file<\/Name><Title>[^<]*<\/Title><SRS>EPSG:4326<\/SRS><Operations><Query\/><Insert\/>/,
    )
    assert.match(text, /<LatLongBoundingBox minx="10" miny="50" maxx="11" maxy="51"\/>/)
    const described = await get(
      'request=DescribeFeatureType&typeName=default:trees_file&outputFormat=XMLSCHEMA',
    )
    assert.match(described.text, /schemaLocation="http:\/\/schemas.opengis.net\/gml\/2.1.2\/feature.xsd"/)
    assert.match(described.text, /type="gml:PointPropertyType"/)
  })

  it('gives features in GML 2, with x first', async () => {
    const { status, text } = await get('request=GetFeature&typeName=default:trees_file&bbox=9,49,10.5,50.5')
    assert.equal(status, 200, text)
    assert.match(text, /<gml:boundedBy><gml:null>unknown<\/gml:null><\/gml:boundedBy>/)
    assert.match(text, /<gml:featureMember><default:trees_file fid="trees_file.1">/)
    assert.match(
      text,
      /srsName="http:\/\/www.opengis.net\/gml\/srs\/epsg.xml#4326"[^>]*><gml:coordinates>10,50</,
    )
    assert.doesNotMatch(text, /trees_file\.2/)
    const filter = `<ogc:Filter><ogc:BBOX><ogc:PropertyName>geometry</ogc:PropertyName><gml:Box><gml:coordinates>10.5,50.5 12,52</gml:coordinates></gml:Box></ogc:BBOX></ogc:Filter>`
    const query = `<wfs:Query typeName="default:trees_table">${filter}</wfs:Query>`
    const posted = await postWfs(server, wfsXml('1.0.0', 'GetFeature', query))
    assert.deepEqual(
      [...posted.text.matchAll(/fid="([^"]*)"/g)].map(([, id]) => id),
      ['trees_table.2'],
      posted.text,
    )
  })

  it('reports errors as ServiceExceptionReport', async () => {
    const { status, text } = await get('request=GetFeature&typeName=default:nothing')
    assert.equal(status, 400)
    assert.match(text, /<ServiceExceptionReport version="1.2.0" xmlns="http:\/\/www.opengis.net\/ogc"/)
    assert.match(text, /<ServiceException code="InvalidParameterValue" locator="typenames">/)
  })

  for (const store of editedStores)
    it(`changes features by a transaction, in store ${store}`, async () => {
      const type = `trees_${store}`
      const namespace = await namespaceOfTypes(server, `default:${type}`)
      const point = '<gml:Point><gml:coordinates>20,60</gml:coordinates></gml:Point>'
      const id = (n: number): string => `<ogc:Filter><ogc:FeatureId fid="${type}.${n}"/></ogc:Filter>`
      const body = wfsXml(
        '1.0.0',
        'Transaction',
        [
          `<wfs:Insert handle="one"><f:${type} xmlns:f="${namespace}"><f:kind>ash</f:kind><f:geometry>${point}</f:geometry></f:${type}></wfs:Insert>`,
          `<wfs:Update typeName="default:${type}"><wfs:Property><wfs:Name>geometry</wfs:Name><wfs:Value>${point}</wfs:Value></wfs:Property>${id(1)}</wfs:Update>`,
          `<wfs:Delete typeName="default:${type}">${id(2)}</wfs:Delete>`,
        ].join(''),
      )
      const { status, text } = await postWfs(server, body)
      assert.equal(status, 200, text)
      assert.match(text, /<wfs:WFS_TransactionResponse version="1.0.0"/)
      assert.match(text, /<wfs:Status><wfs:SUCCESS\/><\/wfs:Status>/)
      assert.deepEqual(idsIn(text), [`${type}.3`])
      const found = await shownFeatures(server, `default:${type}`)
      assert.deepEqual(
        found.map(({ id: one, properties, geometry }) => [one, properties['kind'], geometry?.coordinates]),
        [
          [1, 'oak', [20, 60]],
          [3, 'ash', [20, 60]],
        ],
      )
    })
})
