// The requests that scripts send most to GeoServer's configuration REST, in the order of docs/geoserver-rest.md: each with its
// effect, seen by another path.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  fixtures,
  geoserverClient,
  lineSld,
  rasterBytes,
  shapefileZip,
  startGeoserver,
  storeXml,
  textsAt,
} from '../../support/geoserver-rest.ts'

let started: Awaited<ReturnType<typeof startGeoserver>>
before(async () => {
  started = await startGeoserver()
  const made = await send('POST', '/rest/workspaces', { body: { workspace: { name: 'city' } } })
  assert.equal(made.status, 201, made.text)
})
after(() => started.close())

const send = geoserverClient(() => started.terrane)
const pg = '/rest/workspaces/city/datastores/pg'

/** Number of features of a layer by OGC API Features. */
async function countOf(layer: string): Promise<number> {
  const answer = await send('GET', `/ogc/collections/${layer}/items?f=json&limit=1`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json().numberMatched
}

/** Names of the layers by the catalogue. */
async function layerNames(): Promise<string[]> {
  return (await send('GET', '/rest/layers')).json().layers.layer.map((one: { name: string }) => one.name)
}

describe("requests of GeoServer's configuration REST", () => {
  it('1 to 3: list and show workspaces as JSON and XML', async () => {
    const json = await send('GET', '/rest/workspaces.json')
    const names = json.json().workspaces.workspace.map((one: { name: string }) => one.name)
    assert.ok(names.includes('city'))
    const xml = await send('GET', '/rest/workspaces.xml')
    assert.deepEqual([xml.status, xml.type], [200, 'application/xml'])
    assert.equal(xml.xml().name, 'workspaces')
    assert.deepEqual(textsAt(xml.xml(), 'workspace/name'), names)
    const one = await send('GET', '/rest/workspaces/city', { accept: 'text/xml' })
    assert.deepEqual([one.status, one.type, one.xml().name], [200, 'application/xml', 'workspace'])
    assert.deepEqual(textsAt(one.xml(), 'name'), ['city'])
    const [stores] = one.xml().children.filter(({ name }) => name === 'dataStores')
    assert.match(
      stores?.children[0]?.attributes['href'] ?? '',
      /\/geoserver\/rest\/workspaces\/city\/datastores\.xml$/,
    )
  })

  it('4: create a workspace by XML', async () => {
    const made = await send('POST', '/rest/workspaces', {
      type: 'text/xml',
      body: '<workspace><name>city2</name></workspace>',
    })
    assert.deepEqual([made.status, made.type, made.text], [201, 'text/plain', 'city2'])
    assert.match(String(made.headers['location']), /\/geoserver\/rest\/workspaces\/city2$/)
    assert.equal((await send('GET', '/rest/workspaces/city2')).status, 200)
  })

  it('5, 6: list namespaces, and show a workspace by extension', async () => {
    const { namespaces } = (await send('GET', '/rest/namespaces.json')).json()
    assert.ok(namespaces.namespace.some((one: { name: string }) => one.name === 'city2'))
    const namespace = (await send('GET', '/rest/namespaces/city.xml')).xml()
    assert.deepEqual(textsAt(namespace, 'prefix'), ['city'])
    assert.match(textsAt(namespace, 'uri')[0] ?? '', /\/geoserver\/city\/wfs$/)
    assert.deepEqual(textsAt((await send('GET', '/rest/workspaces/city.xml')).xml(), 'name'), ['city'])
  })

  it('7: create a PostGIS store by XML', async () => {
    const made = await send('POST', '/rest/workspaces/city/datastores', {
      type: 'text/xml',
      body: storeXml('pg', started.parameters),
    })
    assert.deepEqual([made.status, made.text], [201, 'pg'])
    const shown = (await send('GET', `${pg}.xml`)).xml()
    const entries = shown.children.flatMap((one) => (one.name === 'connectionParameters' ? one.children : []))
    const values = new Map(entries.map(({ attributes, text }) => [attributes['key'], text]))
    assert.deepEqual([values.get('schema'), values.get('passwd')], ['city', '********'])
    const { tables } = (await send('GET', `${pg}/tables`)).json()
    assert.deepEqual(
      tables.map((one: { name: string }) => one.name),
      ['buildings', 'trees'],
    )
  })

  it('8, 9: list feature types, and tables without a layer', async () => {
    assert.deepEqual((await send('GET', `${pg}/featuretypes.json`)).json(), {
      featureTypes: { featureType: [] },
    })
    const available = await send('GET', `${pg}/featuretypes.json?list=available`)
    assert.deepEqual(available.json(), { list: { string: ['buildings', 'trees'] } })
    const xml = (await send('GET', `${pg}/featuretypes.xml?list=available`)).xml()
    assert.deepEqual([xml.name, textsAt(xml, 'string')], ['list', ['buildings', 'trees']])
  })

  it('10, 11: publish tables by XML and JSON', async () => {
    const made = await send('POST', `${pg}/featuretypes`, {
      type: 'text/xml',
      body: '<featureType><name>buildings</name></featureType>',
    })
    assert.deepEqual([made.status, made.text], [201, 'buildings'])
    assert.equal(await countOf('city:buildings'), 1)
    const json = await send('POST', `${pg}/featuretypes`, { body: { featureType: { name: 'trees' } } })
    assert.equal(json.status, 201, json.text)
    assert.equal(await countOf('city:trees'), 2)
    const shown = (await send('GET', `${pg}/featuretypes/trees.xml`)).xml()
    assert.deepEqual(textsAt(shown, 'attributes/attribute/name'), ['id', 'kind', 'geom'])
    assert.deepEqual(textsAt(shown, 'srs'), ['EPSG:4326'])
    assert.deepEqual(textsAt(shown, 'store/name'), ['city:pg'])
    const changed = await send('PUT', `${pg}/featuretypes/trees`, {
      type: 'application/xml',
      body: '<featureType><title>Trees of the city</title><keywords><string>green</string></keywords></featureType>',
    })
    assert.deepEqual([changed.status, changed.text], [200, ''])
    const { layer } = (await send('GET', '/rest/layers/city:trees')).json()
    assert.deepEqual([layer.title, layer.keywords], ['Trees of the city', ['green']])
    const removed = await send('DELETE', `${pg}/featuretypes/trees?recurse=true`)
    assert.equal(removed.status, 200)
    assert.deepEqual((await send('GET', `${pg}/featuretypes.json?list=available`)).json().list.string, [
      'trees',
    ])
  })

  it('12: upload a Shapefile, which creates store and layer', async () => {
    const path = '/rest/workspaces/city/datastores/roads/file.shp'
    const body = await shapefileZip('roads')
    const made = await send('PUT', path, { type: 'application/zip', body })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.json().dataStore.name, 'roads')
    const count = await countOf('city:roads')
    assert.ok(count > 100, String(count))
    const again = await send('PUT', path, { type: 'application/zip', body })
    assert.equal(again.status, 201, again.text)
    assert.equal(await countOf('city:roads'), count)
    const added = await send('PUT', `${path}?update=append`, { type: 'application/zip', body })
    assert.equal(added.status, 201, added.text)
    assert.equal(await countOf('city:roads'), 2 * count)
  })

  it('13: load a Shapefile and publish a GeoPackage below an import root', async () => {
    const folder = join(started.terrane.dataDir, 'incoming', 'given')
    mkdirSync(folder, { recursive: true })
    for (const extension of ['shp', 'shx', 'dbf', 'prj'])
      copyFileSync(
        join(fixtures, 'shapefile', `ne_110m_admin_1_states_provinces_shp.${extension}`),
        join(folder, `states.${extension}`),
      )
    copyFileSync(join(fixtures, 'geopackage', 'stations.gpkg'), join(folder, 'stations.gpkg'))
    const shape = await send('PUT', '/rest/workspaces/city/datastores/states/external.shp', {
      type: 'text/plain',
      body: `file://${folder}/states.shp`,
    })
    assert.equal(shape.status, 201, shape.text)
    assert.ok((await countOf('city:states')) > 10)
    const external = '/rest/workspaces/city/datastores/given/external.gpkg'
    for (const body of [`${folder}/stations.gpkg`, `file://${folder}/stations.gpkg`]) {
      const given = await send('PUT', external, { type: 'text/plain', body })
      assert.equal(given.status, 201, given.text)
    }
    const { featureTypes } = (await send('GET', '/rest/workspaces/city/datastores/given/featuretypes')).json()
    assert.equal(featureTypes.featureType.length, 1)
    assert.ok((await countOf(`city:${featureTypes.featureType[0].name}`)) > 0)
  })

  it('14: upload a GeoTIFF, and publish one below an import root', async () => {
    const stores = '/rest/workspaces/city/coveragestores'
    for (let round = 0; round < 2; round += 1) {
      const made = await send('PUT', `${stores}/dem/file.geotiff`, {
        type: 'image/tiff',
        body: rasterBytes(),
      })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.json().coverageStore.name, 'dem')
    }
    const coverage = (await send('GET', `${stores}/dem/coverages/dem.xml`)).xml()
    assert.deepEqual([coverage.name, textsAt(coverage, 'name')], ['coverage', ['dem']])
    const map = await send('GET', '/tiles/city:dem/thumbnail.png')
    assert.equal(map.status, 200, map.text)
    const folder = join(started.terrane.dataDir, 'incoming')
    copyFileSync(join(fixtures, 'raster', 'RGB.byte.tif'), join(folder, 'photo.tif'))
    const external = await send('PUT', `${stores}/photo/external.geotiff?coverageName=aerial`, {
      type: 'text/plain',
      body: `${folder}/photo.tif`,
    })
    assert.equal(external.status, 201, external.text)
    assert.ok((await layerNames()).includes('city:aerial'))
  })

  it('15, 16: show a layer as XML and set its style', async () => {
    const layer = (await send('GET', '/rest/layers/city:roads.xml')).xml()
    assert.deepEqual([layer.name, textsAt(layer, 'type')], ['layer', ['VECTOR']])
    const [resource] = layer.children.filter(({ name }) => name === 'resource')
    assert.equal(resource?.attributes['class'], 'featureType')
    const json = await send('PUT', '/rest/layers/city:roads', {
      body: { layer: { defaultStyle: { name: 'generic' } } },
    })
    assert.equal(json.status, 200, json.text)
    const xml = await send('PUT', '/rest/layers/city:roads', {
      type: 'text/xml',
      body: '<layer><defaultStyle><name>line</name></defaultStyle><enabled>true</enabled></layer>',
    })
    assert.deepEqual([xml.status, xml.text, xml.headers['terrane-ignored']], [200, '', 'layer.enabled'])
    const shown = (await send('GET', '/rest/layers/city:roads')).json()
    assert.equal(shown.layer.defaultStyle.name, 'line')
  })

  it('17, 18: create a style entry, then send its SLD and SE', async () => {
    const made = await send('POST', '/rest/styles', {
      type: 'text/xml',
      body: '<style><name>roads</name><filename>roads.sld</filename></style>',
    })
    assert.deepEqual([made.status, made.text], [201, 'roads'])
    for (const [type, color] of [
      ['application/vnd.ogc.sld+xml', '#ff0000'],
      ['application/vnd.ogc.se+xml', '#0000ff'],
    ] as const) {
      const sent = await send('PUT', '/rest/styles/roads', { type, body: lineSld(color) })
      assert.equal(sent.status, 200, sent.text)
      const document = await send('GET', '/rest/styles/roads.sld')
      assert.match(document.text, new RegExp(color))
    }
    const entry = (await send('GET', '/rest/styles/roads.xml')).xml()
    assert.deepEqual([textsAt(entry, 'name'), textsAt(entry, 'filename')], [['roads'], ['roads.sld']])
    const whole = await send('POST', '/rest/workspaces/city/styles?name=green', {
      type: 'application/vnd.ogc.sld+xml',
      body: lineSld('#00ff00'),
    })
    assert.equal(whole.status, 201, whole.text)
    assert.match((await send('GET', '/rest/workspaces/city/styles/green.sld')).text, /#00ff00/)
  })

  it('19: create layer groups by XML, in both forms', async () => {
    const groups = '/rest/workspaces/city/layergroups'
    const older = await send('POST', groups, {
      type: 'text/xml',
      body: '<layerGroup><name>base</name><layers><layer>roads</layer><layer>buildings</layer></layers><styles><style>roads</style><style/></styles></layerGroup>',
    })
    assert.deepEqual([older.status, older.text], [201, 'base'])
    const newer = await send('POST', groups, {
      type: 'application/xml',
      body: '<layerGroup><name>one</name><mode>NAMED</mode><title>One</title><publishables><published type="layer"><name>city:roads</name></published></publishables></layerGroup>',
    })
    assert.equal(newer.status, 201, newer.text)
    const shown = (await send('GET', `${groups}/base.xml`)).xml()
    assert.deepEqual(textsAt(shown, 'publishables/published/name'), ['city:roads', 'city:buildings'])
    assert.deepEqual(textsAt(shown, 'styles/style/name'), ['roads'])
    const capabilities = await send('GET', '/wms?service=WMS&version=1.3.0&request=GetCapabilities')
    assert.match(capabilities.text, /<Name>city:base<\/Name>/)
  })

  it('20, 21: access rules, users and roles', async () => {
    const acl = '/rest/security/acl/layers'
    assert.deepEqual((await send('GET', `${acl}.json`)).json(), {})
    const added = await send('POST', acl, {
      type: 'text/xml',
      body: '<rules><rule resource="city.roads.w">EDITORS</rule><rule resource="city2.*.r">EDITORS,ROLE_AUTHENTICATED</rule></rules>',
    })
    assert.equal(added.status, 200, added.text)
    const rules = { 'city.roads.w': 'EDITORS', 'city2.*.r': 'EDITORS,ROLE_AUTHENTICATED' }
    assert.deepEqual((await send('GET', `${acl}.json`)).json(), rules)
    assert.deepEqual(textsAt((await send('GET', `${acl}.xml`)).xml(), 'rule'), Object.values(rules))
    const { permissions } = (await send('GET', '/rest/security/permissions?group=EDITORS')).json()
    assert.deepEqual(
      permissions.map((one: { resource: string; actions: string[] }) => [one.resource, one.actions]),
      [
        ['city:roads', ['edit']],
        ['city2', ['read', 'download']],
      ],
    )
    const changed = await send('PUT', acl, { body: { 'city2.*.r': '*' } })
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await send('GET', acl)).json()['city2.*.r'], '*')
    assert.equal((await send('DELETE', `${acl}/city2.*.r`)).status, 200)
    assert.deepEqual(Object.keys((await send('GET', acl)).json()), ['city.roads.w'])
    const users = await send('GET', '/rest/security/usergroup/users.json')
    assert.deepEqual(users.json().users, [{ userName: 'admin', enabled: true }])
    const roles = (await send('GET', '/rest/security/roles.xml')).xml()
    assert.ok(textsAt(roles, 'role').includes('EDITORS'))
  })

  it('22 to 24: version, reload, reset and settings', async () => {
    const { about } = (await send('GET', '/rest/about/version.json')).json()
    assert.deepEqual(
      about.resource.map((one: Record<string, string>) => one['@name']),
      ['GeoServer', 'Terrane'],
    )
    const xml = (await send('GET', '/rest/about/version.xml')).xml()
    assert.equal(xml.children[0]?.attributes['name'], 'GeoServer')
    for (const path of ['/rest/reload', '/rest/reset'])
      for (const method of ['POST', 'PUT'] as const)
        assert.equal((await send(method, path)).status, 200, path)
    const settings = (await send('GET', '/rest/settings.json')).json()
    assert.equal(settings.global.settings.charset, 'UTF-8')
    for (const service of ['wms', 'wfs', 'wcs']) {
      const shown = (await send('GET', `/rest/services/${service}/settings.json`)).json()
      assert.equal(shown[service].name, service.toUpperCase())
    }
  })

  it('25: cached tiles of a layer', async () => {
    const shown = (await send('GET', '/gwc/rest/layers/city:roads.xml')).xml()
    assert.deepEqual([shown.name, textsAt(shown, 'name')], ['GeoServerLayer', ['city:roads']])
    const versionOf = async () => (await send('GET', '/rest/layers/city:roads')).json().layer.version
    const version = await versionOf()
    const truncated = await send('POST', '/gwc/rest/masstruncate', {
      type: 'text/xml',
      body: '<truncateLayer><layerName>city:roads</layerName></truncateLayer>',
    })
    assert.equal(truncated.status, 200, truncated.text)
    assert.ok((await versionOf()) > version)
  })

  it('26: delete a workspace with its content', async () => {
    assert.equal((await send('DELETE', '/rest/workspaces/city2.xml?recurse=true')).status, 200)
    assert.equal((await send('GET', '/rest/workspaces/city2.xml')).status, 404)
  })
})
