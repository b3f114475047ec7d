import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { addEditedStores, editedStores, shownFeatures } from '../../support/edited-layers.ts'
import { restore, versionsOf } from '../../support/version-client.ts'
import {
  exceptionIn,
  featureOf,
  idsIn,
  importFeatures,
  namespaceOfTypes,
  postWfs,
  totalsIn,
  wfsXml,
} from '../../support/wfs-transactions.ts'

const trees = [
  featureOf({ kind: 'oak', n: 1, height: 1.5, old: true }, 'Point', [10, 50]),
  featureOf({ kind: 'elm', n: 2, height: 2.5, old: false }, 'Point', [11, 51]),
  featureOf({ kind: 'fir', n: 3, height: 3.5, old: false }, 'Point', [12, 52]),
]
const areas = [
  featureOf({ name: 'one' }, 'Polygon', [
    [
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 0],
    ],
  ]),
]

describe('a WFS transaction', () => {
  let server: TestApp
  let namespace: string
  before(async () => {
    server = await createTestApp()
    await addEditedStores(server)
    for (const store of editedStores) {
      await importFeatures(server, { name: `trees_${store}`, store, features: trees })
      await importFeatures(server, { name: `areas_${store}`, store, features: areas })
    }
    namespace = await namespaceOfTypes(server, 'default:trees_file')
  })
  after(() => server.close())

  const rows = async (layer: string): Promise<unknown[]> =>
    (await shownFeatures(server, layer)).map(({ id, properties, geometry }) => [
      id,
      properties['kind'],
      properties['n'],
      geometry?.coordinates,
    ])

  for (const store of editedStores) {
    const type = `trees_${store}`
    const layer = `default:${type}`
    const feature = (values: string, point = ''): string =>
      `<f:${type} xmlns:f="${namespace}">${values}${point === '' ? '' : `<f:geometry>${point}</f:geometry>`}</f:${type}>`
    const point = (srs: string, pos: string): string =>
      `<gml:Point srsName="${srs}"><gml:pos>${pos}</gml:pos></gml:Point>`
    const byId = (...ids: number[]): string =>
      `<fes:Filter>${ids.map((id) => `<fes:ResourceId rid="${type}.${id}"/>`).join('')}</fes:Filter>`

    it(`of 2.0.0 makes all actions, which are one version, in store ${store}`, async () => {
      const before = await rows(layer)
      const [{ version: first = 0 } = {}] = await versionsOf(server, layer)
      const insert = [
        feature(
          '<f:kind>ash</f:kind><f:n>4</f:n><f:old>1</f:old>',
          point('urn:ogc:def:crs:EPSG::4326', '53 13'),
        ),
        feature('<f:kind xsi:nil="true"/><f:n>5</f:n>', point('EPSG:4326', '14 54')),
      ].join('')
      const area = `<a:areas_${store} xmlns:a="${namespace}"><a:name>two</a:name><a:geometry><gml:Polygon srsName="http://www.opengis.net/def/crs/EPSG/0/4326"><gml:exterior><gml:LinearRing><gml:posList>5 6 5 8 7 8 5 6</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></a:geometry></a:areas_${store}>`
      const body = wfsXml(
        '2.0.0',
        'Transaction',
        [
          `<wfs:Insert handle="new">${insert}</wfs:Insert><wfs:Insert>${area}</wfs:Insert>`,
          `<wfs:Update typeName="x:${type}" xmlns:x="${namespace}"><wfs:Property><wfs:ValueReference>x:kind</wfs:ValueReference><wfs:Value>yew</wfs:Value></wfs:Property><wfs:Property><wfs:ValueReference>n</wfs:ValueReference></wfs:Property><fes:Filter><fes:PropertyIsEqualTo><fes:ValueReference>kind</fes:ValueReference><fes:Literal>oak</fes:Literal></fes:PropertyIsEqualTo></fes:Filter></wfs:Update>`,
          `<wfs:Replace>${feature('<f:kind>box</f:kind>', point('EPSG:4326', '1 2'))}${byId(2)}</wfs:Replace>`,
          `<wfs:Delete typeName="default:${type}">${byId(3)}</wfs:Delete>`,
        ].join(''),
      )
      const { status, text } = await postWfs(server, body)
      assert.equal(status, 200, text)
      assert.deepEqual(totalsIn(text), {
        totalInserted: 3,
        totalUpdated: 1,
        totalReplaced: 1,
        totalDeleted: 1,
      })
      assert.deepEqual(idsIn(text, 'InsertResults'), [`${type}.4`, `${type}.5`, `areas_${store}.2`])
      assert.match(text, /<wfs:Feature handle="new"><fes:ResourceId rid="trees_\w+.4"\/>/)
      assert.deepEqual(idsIn(text, 'ReplaceResults'), [`${type}.2`])
      assert.deepEqual(await rows(layer), [
        [1, 'yew', null, [10, 50]],
        [2, 'box', null, [1, 2]],
        [4, 'ash', 4, [13, 53]],
        [5, null, 5, [14, 54]],
      ])
      const [, two] = await shownFeatures(server, `default:areas_${store}`)
      assert.deepEqual(two?.geometry?.coordinates, [
        [
          [6, 5],
          [8, 5],
          [8, 7],
          [6, 5],
        ],
      ])
      const [edits] = await versionsOf(server, layer)
      assert.deepEqual(
        [edits?.version, edits?.cause, edits?.user, edits?.changes],
        [first + 1, 'edit', 'admin', { added: 2, changed: 2, removed: 1, same: 0 }],
      )
      const back = await restore(server, layer, first)
      assert.equal(back.status, 200, back.text)
      assert.deepEqual(await rows(layer), before)
    })

    it(`of 1.1.0 makes all actions in store ${store}`, async () => {
      const before = await rows(layer)
      const filter = `<ogc:Filter><ogc:FeatureId fid="${type}.1"/><ogc:FeatureId fid="${type}.2"/></ogc:Filter>`
      const body = wfsXml(
        '1.1.0',
        'Transaction',
        [
          `<wfs:Insert srsName="urn:ogc:def:crs:EPSG::4326">${feature('<f:n>+07</f:n><f:height>.5</f:height>', '<gml:Point><gml:pos>60 20</gml:pos></gml:Point>')}</wfs:Insert>`,
          `<wfs:Update typeName="${type}"><wfs:Property><wfs:Name>geometry</wfs:Name><wfs:Value>${point('urn:ogc:def:crs:EPSG::4326', '61 21')}</wfs:Value></wfs:Property>${filter}</wfs:Update>`,
          `<wfs:Delete typeName="default:${type}"><ogc:Filter><ogc:GmlObjectId gml:id="${type}.3"/></ogc:Filter></wfs:Delete>`,
        ].join(''),
      )
      const { status, text } = await postWfs(server, body, { path: '/default/wfs' })
      assert.equal(status, 200, text)
      assert.deepEqual(totalsIn(text), { totalInserted: 1, totalUpdated: 2, totalDeleted: 1 })
      const [id = ''] = idsIn(text, 'InsertResults')
      assert.deepEqual(await rows(layer), [
        [1, 'oak', 1, [21, 61]],
        [2, 'elm', 2, [21, 61]],
        [Number(id.split('.')[1]), null, 7, [20, 60]],
      ])
      const [, previous] = await versionsOf(server, layer)
      await restore(server, layer, previous?.version ?? 0)
      assert.deepEqual(await rows(layer), before)
    })

    it(`saves nothing if one action is refused, and names it, in store ${store}`, async () => {
      const before = await rows(layer)
      const good = `<wfs:Insert>${feature('<f:kind>ash</f:kind>', point('EPSG:4326', '1 1'))}</wfs:Insert>`
      const update = (property: string, value: string): string =>
        `<wfs:Update handle="the update" typeName="${layer}"><wfs:Property><wfs:ValueReference>${property}</wfs:ValueReference><wfs:Value>${value}</wfs:Value></wfs:Property>${byId(1)}</wfs:Update>`
      const line = '<gml:LineString srsName="EPSG:4326"><gml:posList>0 0 1 1</gml:posList></gml:LineString>'
      const cases: [inside: string, code: string, locator: string, reason: RegExp][] = [
        [update('n', 'many'), 'InvalidValue', 'the update', /Update \(action 2\), feature .*many.* is not/],
        [update('colour', 'red'), 'InvalidParameterValue', 'the update', /no property .*colour/],
        [update('geometry', line), 'InvalidValue', 'the update', /LineString|geometry/],
        [update('geometry', 'here'), 'InvalidParameterValue', 'the update', /one geometry of GML/],
        [update('geometry', point('EPSG:4326', '200 100')), 'InvalidValue', 'the update', /latitude/],
        [
          update('geometry', point('EPSG:0', '1 1')),
          'InvalidParameterValue',
          'the update',
          /not a known CRS/,
        ],
        [
          `<wfs:Insert>${feature('<f:colour>red</f:colour>')}</wfs:Insert>`,
          'InvalidParameterValue',
          'colour',
          /Insert \(action 2\), feature 1: There is no property/,
        ],
        [
          `<wfs:Insert>${feature('<f:n>1</f:n>')}${feature('<f:n>x</f:n>')}</wfs:Insert>`,
          'InvalidValue',
          'Insert',
          /feature 2: .*is not an/,
        ],
        [
          `<wfs:Insert><f:${type} xmlns:f="http://example.org/"/></wfs:Insert>`,
          'InvalidParameterValue',
          type,
          /namespace .* none of this server/,
        ],
        [`<wfs:Delete typeName="${layer}"/>`, 'MissingParameterValue', 'Delete', /has no Filter/],
        [`<wfs:Delete>${byId(1)}</wfs:Delete>`, 'MissingParameterValue', 'typeName', /no typeName/],
        [
          `<wfs:Delete typeName="default:nothing">${byId(1)}</wfs:Delete>`,
          'InvalidParameterValue',
          'Delete',
          /does not exist/,
        ],
        [
          `<wfs:Delete typeName="default:areas_${store}">${byId(1)}</wfs:Delete>`,
          'InvalidParameterValue',
          'Delete',
          /id of no feature/,
        ],
        [
          `<wfs:Replace>${feature('')}${byId(99)}</wfs:Replace>`,
          'InvalidParameterValue',
          'Replace',
          /matches 0/,
        ],
        ['<wfs:Nonsense/>', 'OperationParsingFailed', 'Nonsense', /not an action/],
        ['<wfs:Native vendorId="x" safeToIgnore="false"/>', 'InvalidParameterValue', 'Native', /Native/],
      ]
      for (const [inside, code, locator, reason] of cases) {
        const { status, text } = await postWfs(server, wfsXml('2.0.0', 'Transaction', good + inside))
        const found = exceptionIn(text)
        assert.deepEqual([status, found.code, found.locator], [400, code, locator], text)
        assert.match(found.text ?? '', reason, inside)
      }
      assert.deepEqual(await rows(layer), before)
    })
  }

  it('of several stores is refused', async () => {
    const update = (store: string): string =>
      `<wfs:Update typeName="default:trees_${store}"><wfs:Property><wfs:ValueReference>n</wfs:ValueReference><wfs:Value>9</wfs:Value></wfs:Property></wfs:Update>`
    const { status, text } = await postWfs(
      server,
      wfsXml('2.0.0', 'Transaction', update('file') + update('table')),
    )
    assert.deepEqual([status, exceptionIn(text).code], [400, 'OperationNotSupported'], text)
    assert.match(text, /in different stores/)
  })
})
