// What GeoServer's configuration REST refuses, and that nothing of a refused request is kept.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { basicAuth } from '../../support/app.ts'
import { zipOf } from '../../support/archives.ts'
import {
  fixtures,
  type GeoserverAnswer,
  geoserverClient,
  rasterBytes,
  shapefileZip,
  startGeoserver,
  storeXml,
  textsAt,
} from '../../support/geoserver-rest.ts'

let started: Awaited<ReturnType<typeof startGeoserver>>
before(async () => {
  started = await startGeoserver({ TERRANE_DEFAULT_READ: 'granted' })
  for (const name of ['city', 'other'])
    assert.equal((await send('POST', '/rest/workspaces', { body: { workspace: { name } } })).status, 201)
  const body = storeXml('pg', started.parameters)
  assert.equal((await send('POST', `${city}/datastores`, { type: 'text/xml', body })).status, 201)
  const published = await send('POST', `${city}/datastores/pg/featuretypes`, {
    body: { featureType: { name: 'trees' } },
  })
  assert.equal(published.status, 201, published.text)
  for (const [name, role] of [
    ['reader', 'user'],
    ['manager', 'user'],
  ])
    assert.equal(
      (await send('POST', '/rest/security/users', { body: { user: { name, role, password: secret } } }))
        .status,
      201,
    )
  const permission = { subject: { user: 'manager' }, resource: 'city', actions: ['manage'] }
  assert.equal((await send('POST', '/rest/security/permissions', { body: { permission } })).status, 201)
})
after(() => started.close())

const secret = 'a-long-password-of-tests'
const send = geoserverClient(() => started.terrane)
const city = '/rest/workspaces/city'
const acl = '/rest/security/acl/layers'

function refused(answer: GeoserverAnswer, status: number, code: string, detail: RegExp): void {
  assert.deepEqual([answer.status, answer.json().code], [status, code], answer.text)
  assert.match(answer.json().detail, detail)
  assert.equal(answer.type, 'application/problem+json')
}

async function storeNames(kind: 'datastores' | 'coveragestores'): Promise<string[]> {
  const { dataStores, coverageStores } = (await send('GET', `${city}/${kind}`)).json()
  return (dataStores?.dataStore ?? coverageStores.coverageStore).map((one: { name: string }) => one.name)
}

async function imports(): Promise<number> {
  return (await send('GET', '/rest/imports')).json().imports.length
}

describe("bad requests to GeoServer's configuration REST", () => {
  it('are refused for XML that is broken, hostile or for something else', async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><workspace><name>&b;</name></workspace>`
    const outside = `<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><workspace><name>&a;</name></workspace>`
    const cases: [string | Buffer, number, string, RegExp][] = [
      ['<workspace><name>bad', 400, 'malformed-xml', /not well-formed/],
      ['no XML', 400, 'malformed-xml', /not well-formed/],
      ['<workspace><name>&unknown;</name></workspace>', 400, 'malformed-xml', /not well-formed/],
      [bomb, 400, 'malformed-xml', /DOCTYPE/],
      [outside, 400, 'malformed-xml', /DOCTYPE/],
      [`${'<a>'.repeat(60)}${'</a>'.repeat(60)}`, 413, 'body-too-deep', /50 levels/],
      [`<workspace>${'<a/>'.repeat(20_001)}</workspace>`, 413, 'body-too-wide', /20000 elements/],
      [`<workspace>${' '.repeat(2 ** 20)}</workspace>`, 413, 'body-too-large', /large/],
      ['<dataStore><name>bad</name></dataStore>', 400, 'invalid-body', /<dataStore>.*<workspace>/],
      ['<workspace/>', 400, 'invalid-body', /workspace.name/],
      ['<workspace><name>a</name><name>b</name></workspace>', 400, 'invalid-body', /workspace.name/],
      ['<workspace><name>a/b</name></workspace>', 400, 'invalid-name', /a\/b/],
      [Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0xfe]), 400, 'malformed-xml', /utf-8/],
    ]
    const before = (await send('GET', '/rest/workspaces')).text
    for (const [body, status, code, detail] of cases)
      refused(await send('POST', '/rest/workspaces', { type: 'text/xml', body }), status, code, detail)
    assert.equal((await send('GET', '/rest/workspaces')).text, before)
  })

  it('name the types that are taken', async () => {
    const csv = await send('POST', '/rest/workspaces', { type: 'text/csv', body: 'a,b' })
    refused(csv, 415, 'unsupported-media-type', /"text\/csv".*application\/json, application\/xml/)
    const style = await send('POST', '/rest/styles', { type: 'application/zip', body: 'PK' })
    refused(style, 415, 'unsupported-media-type', /application\/vnd\.ogc\.sld\+xml/)
  })

  it('are read in the encoding of the XML, and unknown elements are named and ignored', async () => {
    const body = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><layer><title>B\xE4ume</title><__proto__>x</__proto__><enabled>true</enabled></layer>',
      'latin1',
    )
    const changed = await send('PUT', '/rest/layers/city:trees', { type: 'text/xml', body })
    assert.equal(changed.status, 200, changed.text)
    assert.match(String(changed.headers['terrane-ignored']), /layer\.enabled/)
    assert.equal((await send('GET', '/rest/layers/city:trees')).json().layer.title, 'Bäume')
  })

  it('answer browsers and other clients in JSON', async () => {
    for (const accept of [
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      '*/*',
      'application/json, application/xml',
      'application/xml;q=0.5, application/json',
    ])
      assert.equal((await send('GET', city, { accept })).type, 'application/json', accept)
    const extension = await send('GET', `${city}.json`, { accept: 'application/xml' })
    assert.equal(extension.type, 'application/json')
    const xml = await send('GET', '/rest/layers/city:trees', { accept: 'application/xml' })
    assert.deepEqual([xml.type, textsAt(xml.xml(), 'title')], ['application/xml', ['Bäume']])
    const tag = String(xml.headers['etag'])
    assert.match(tag, /^W\//)
    const same = await send('GET', '/rest/layers/city:trees.xml', { headers: { 'if-none-match': tag } })
    assert.equal(same.status, 304)
  })

  it('publish no table that does not exist', async () => {
    const answer = await send('POST', `${city}/datastores/pg/featuretypes`, {
      type: 'text/xml',
      body: '<featureType><name>nothing</name></featureType>',
    })
    refused(answer, 400, 'unknown-table', /"nothing"/)
    refused(await send('GET', `${city}/datastores/pg/featuretypes/none.xml`), 404, 'unknown-layer', /none/)
    refused(await send('GET', '/rest/services/sos/settings'), 404, 'unknown-service', /wms, wfs/)
  })

  it('read no file outside the import roots', async () => {
    for (const body of ['/etc/passwd', 'file:///etc/passwd', '../../../etc/passwd', '/etc/hosts/../passwd'])
      for (const path of [
        'datastores/evil/external.shp',
        'datastores/evil/external.gpkg',
        'coveragestores/evil/external.geotiff',
      ]) {
        const answer = await send('PUT', `${city}/${path}`, { type: 'text/plain', body })
        refused(answer, 400, 'path-outside-roots', /TERRANE_IMPORT_ROOTS/)
      }
    const path = `${city}/datastores/evil/external.shp`
    refused(await send('PUT', path, { type: 'text/plain', body: '' }), 400, 'no-location', /path/)
    refused(await send('PUT', path, { type: 'text/plain', body: 'a\nb' }), 400, 'no-location', /path/)
    const long = await send('PUT', path, { type: 'text/plain', body: 'a'.repeat(9000) })
    refused(long, 413, 'body-too-large', /8192/)
    assert.deepEqual(await storeNames('datastores'), ['pg'])
    assert.deepEqual(await storeNames('coveragestores'), [])
  })

  it('leave neither store nor import of an upload that fails', async () => {
    const part = (extension: string) =>
      readFileSync(join(fixtures, 'shapefile', `ne_110m_admin_0_boundary_lines_land.${extension}`))
    const files = { 'a.shp': part('shp'), 'a.shx': part('shx'), 'a.dbf': part('dbf') }
    const count = await imports()
    const upload = (file: string, body: Buffer, type = 'application/zip') =>
      send('PUT', `${city}/datastores/new/${file}`, { type, body })
    refused(await upload('file.shp', await zipOf(files)), 400, 'not-loaded', /CRS is unknown/)
    refused(await upload('file.shp', Buffer.from('no zip')), 400, 'broken-archive', /not a readable zip/)
    refused(await upload('file.shp', await zipOf({ 'a.txt': 'text' })), 400, 'not-loaded', /./)
    refused(
      await upload('file.shp?configure=none', await shapefileZip('a')),
      400,
      'invalid-parameter',
      /none/,
    )
    refused(await upload('file.h2', Buffer.from('x')), 400, 'invalid-path', /shp, gpkg/)
    refused(await upload('url.shp', Buffer.from('http://127.0.0.1/a')), 400, 'invalid-path', /imports/)
    const raster = await send('PUT', `${city}/coveragestores/new/file.geotiff`, {
      type: 'image/tiff',
      body: rasterBytes().subarray(0, 200),
    })
    refused(raster, 400, 'not-loaded', /./)
    assert.deepEqual(await storeNames('datastores'), ['pg'])
    assert.deepEqual(await storeNames('coveragestores'), [])
    assert.equal(await imports(), count)
  })

  it('do not replace layers of another store', async () => {
    const answer = await send('PUT', `${city}/datastores/new/file.shp`, {
      type: 'application/zip',
      body: await shapefileZip('trees'),
    })
    refused(answer, 409, 'layer-exists', /"city:trees".*"pg"/)
    const coverage = await send('PUT', `${city}/coveragestores/trees/file.geotiff`, {
      type: 'image/tiff',
      body: rasterBytes(),
    })
    refused(coverage, 409, 'layer-exists', /"city:trees"/)
    assert.deepEqual(await storeNames('datastores'), ['pg'])
  })

  it('need the rights of their JSON', async () => {
    const reader = basicAuth('reader', secret)
    const manager = basicAuth('manager', secret)
    const xml = { type: 'text/xml', body: '<workspace><name>mine</name></workspace>' }
    assert.equal((await send('POST', '/rest/workspaces', { ...xml, headers: reader })).status, 403)
    assert.equal((await send('POST', '/rest/workspaces', { ...xml, headers: manager })).status, 403)
    assert.equal((await send('GET', `${city}.xml`, { headers: reader })).status, 404)
    assert.equal((await send('GET', '/rest/namespaces/city', { headers: reader })).status, 404)
    const { namespaces } = (await send('GET', '/rest/namespaces', { headers: manager })).json()
    assert.deepEqual(
      namespaces.namespace.map((one: { name: string }) => one.name),
      ['city'],
    )
    const upload = { type: 'application/zip', body: await shapefileZip('roads') }
    const path = (workspace: string) => `/rest/workspaces/${workspace}/datastores/roads/file.shp`
    assert.equal((await send('PUT', path('city'), { ...upload, headers: reader })).status, 404)
    assert.equal((await send('PUT', path('other'), { ...upload, headers: manager })).status, 404)
    const made = await send('PUT', path('city'), { ...upload, headers: manager })
    assert.equal(made.status, 201, made.text)
    const truncate = {
      type: 'text/xml',
      body: '<truncateLayer><layerName>city:trees</layerName></truncateLayer>',
    }
    assert.equal((await send('POST', '/gwc/rest/masstruncate', { ...truncate, headers: reader })).status, 404)
    assert.equal(
      (await send('POST', '/gwc/rest/masstruncate', { ...truncate, headers: manager })).status,
      200,
    )
    for (const url of [acl, '/rest/security/usergroup/users', '/rest/security/roles', '/rest/settings'])
      assert.equal((await send('GET', url, { headers: manager })).status, 403, url)
    const { entries } = (await send('GET', '/rest/audit?user=manager')).json()
    const actions = entries.map((one: { action: string }) => one.action)
    assert.ok(actions.includes('store-file.upload') && actions.includes('tiles.truncate'), String(actions))
  })

  it('save no rule that permissions cannot express', async () => {
    const first = await send('POST', acl, { body: { 'city.*.r': 'READERS,EDITORS' } })
    assert.equal(first.status, 200, first.text)
    const before = (await send('GET', acl)).text
    const groups = (await send('GET', '/rest/security/groups')).text
    const cases: [Record<string, string>, number, string, RegExp][] = [
      [{ 'city.trees.r': 'EDITORS', 'other.*.r': 'NEW' }, 400, 'invalid-rule', /more specific rules narrow/],
      [{ 'city.none.r': 'EDITORS' }, 400, 'invalid-rule', /"city:none" does not exist/],
      [{ 'nowhere.*.r': 'EDITORS' }, 400, 'invalid-rule', /"nowhere" does not exist/],
      [{ '*.*.w': '*' }, 400, 'invalid-rule', /everyone could edit/],
      [{ 'city.trees.a': 'EDITORS' }, 400, 'invalid-rule', /only workspaces have administrators/],
      [{ 'city.trees.x': 'EDITORS' }, 400, 'invalid-rule', /none of \.r, \.w and \.a/],
      [{ 'city.*.w': 'b/d' }, 400, 'invalid-name', /b\/d/],
      [{ 'city.*.r': 'EDITORS' }, 409, 'rule-exists', /PUT/],
      [{}, 400, 'invalid-body', /no rule/],
    ]
    for (const [body, status, code, detail] of cases)
      refused(await send('POST', acl, { body }), status, code, detail)
    const xml = await send('POST', acl, { type: 'text/xml', body: '<rules><rule>EDITORS</rule></rules>' })
    refused(xml, 400, 'invalid-body', /resource=/)
    refused(await send('PUT', acl, { body: { 'other.*.r': 'EDITORS' } }), 404, 'unknown-access-rule', /other/)
    assert.equal((await send('GET', acl)).text, before)
    assert.equal((await send('GET', '/rest/security/groups')).text, groups)
  })

  it('remove no permission that gives more than the rule', async () => {
    const permission = { subject: { group: 'EDITORS' }, resource: 'other', actions: ['read', 'edit'] }
    assert.equal((await send('POST', '/rest/security/permissions', { body: { permission } })).status, 201)
    refused(await send('DELETE', `${acl}/other.*.w`), 409, 'rule-shared', /other\.\*\.r and other\.\*\.w/)
    const open = await send('PUT', '/rest/workspaces/other', { body: { workspace: { public: true } } })
    assert.equal(open.status, 200)
    refused(await send('DELETE', `${acl}/other.*.r`), 409, 'rule-of-public', /"other" is public/)
  })

  it('truncate one layer only', async () => {
    const post = (body: string) => send('POST', '/gwc/rest/masstruncate', { type: 'text/xml', body })
    refused(await post('<truncateAll/>'), 400, 'invalid-body', /<truncateLayer>/)
    const none = await post('<truncateLayer><layerName>city:none</layerName></truncateLayer>')
    refused(none, 404, 'unknown-layer', /city:none/)
  })
})
