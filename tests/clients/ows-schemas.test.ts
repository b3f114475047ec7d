import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makeGranule } from '../support/mosaics.ts'
import type { ServedMaps } from '../support/served-maps.ts'
import { serveMaps } from '../support/served-maps.ts'
import { userAndPassword } from '../support/server.ts'
import type { Cleanup } from '../support/terrane-process.ts'
import type { XmlDocument } from '../support/validate-xml.ts'
import { faultsOfXml } from '../support/validate-xml.ts'
import { wfsXml } from '../support/wfs-transactions.ts'

/** Requests whose responses and errors are validated against the schemas that they name. */
const queries = [
  '/wms?service=WMS&version=1.3.0&request=GetCapabilities',
  '/wms?service=WMS&version=1.3.0&request=GetMap',
  '/wmts?service=WMTS&request=GetCapabilities',
  '/wmts?service=WMTS&version=1.0.0&request=GetTile&layer=nowhere',
  '/wfs?service=WFS&version=2.0.0&request=GetCapabilities',
  '/wfs?service=WFS&version=1.1.0&request=GetCapabilities',
  '/wfs?service=WFS&version=2.0.0&request=ListStoredQueries',
  '/wfs?service=WFS&version=2.0.0&request=DescribeStoredQueries',
  '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=nowhere',
  '/wfs?service=WFS&version=1.1.0&request=GetFeature&typeName=nowhere',
  '/wcs?service=WCS&version=2.0.1&request=GetCapabilities',
  '/wcs?service=WCS&version=2.0.1&request=GetCapabilities&sections=Contents',
  '/wcs?service=WCS&version=2.0.1&request=DescribeCoverage&coverageId=default__islands,default__days',
  '/wcs?service=WCS&version=2.0.1&request=GetCoverage&coverageId=nowhere',
  '/wcs?service=WCS&version=1.0.0&request=GetCapabilities',
  '/wcs?service=WCS&version=1.0.0&request=DescribeCoverage&coverage=default:islands,default:days',
  '/wcs?service=WCS&version=1.0.0&request=GetCoverage&coverage=nowhere',
  // A workspace without layers.
  '/nowhere/wms?service=WMS&version=1.3.0&request=GetCapabilities',
  '/nowhere/wmts?service=WMTS&request=GetCapabilities',
  '/nowhere/wfs?service=WFS&version=2.0.0&request=GetCapabilities',
  '/nowhere/wfs?service=WFS&version=1.1.0&request=GetCapabilities',
  '/nowhere/wcs?service=WCS&version=2.0.1&request=GetCapabilities',
  '/nowhere/wcs?service=WCS&version=1.0.0&request=GetCapabilities',
]
const types = ['countries', 'states', 'boundary_lines', 'places', 'crossing']

describe('answers of the older services', () => {
  const ends: (() => void)[] = []
  const cleanup: Cleanup = { after: (work: () => void) => ends.push(work) }
  let server: ServedMaps
  before(async () => {
    server = await serveMaps(cleanup)
    for (const [column, name] of ['a_2020', 'b_2021'].entries())
      makeGranule(join(server.sources, 'days', `${name}.tif`), { column })
    const data = { type: 'mosaic', location: 'maps/days', time: { mode: 'auto' } }
    const made = await server.call('POST', '/rest/imports?exec=true', { import: { data } })
    assert.equal(made.json.import?.state, 'COMPLETE', made.text)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })
  const read = async (path: string): Promise<string> => (await fetch(`${server.url}${path}`)).text()

  it('are valid by the schemas of the OGC, with titles that XML has to escape', async (t) => {
    const hostile = {
      title: 'A <b>&"\'\u0007 漢字 \u{1F30D}',
      abstract: ']]>\u0000\n<',
      keywords: ['a&b', '<c>'],
    }
    for (const name of ['default:states', 'default:islands']) {
      const put = await server.call('PUT', `/rest/layers/${name}`, { layer: hostile })
      assert.ok(put.status < 300, put.text)
    }
    const xmlDocuments = await Promise.all(
      queries.map(async (name): Promise<XmlDocument> => ({ name, text: await read(name) })),
    )
    assert.deepEqual(await faultsOfXml(t, xmlDocuments), {})
    // That faults are found at all.
    const broken = xmlDocuments.map(({ name, text }) => ({
      name,
      text: text.replace(/<(\w+:)?(Title|name|ExceptionText|ServiceException)\b/g, '<$1Nonsense'),
    }))
    const closed = broken.map(({ name, text }) => ({
      name,
      text: text.replace(/<\/(\w+:)?(Title|name|ExceptionText|ServiceException)\b/g, '</$1Nonsense'),
    }))
    const faults = Object.keys(await faultsOfXml(t, closed))
    assert.ok(faults.length >= 12, faults.join('\n'))
  })

  it('are valid for a caller who may edit, and so are those to locks and transactions', async (t) => {
    const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
    const post = async (body: string): Promise<string> => {
      const headers = { authorization, 'content-type': 'text/xml' }
      return (await fetch(`${server.url}/wfs`, { method: 'POST', headers, body })).text()
    }
    const xmlDocuments: XmlDocument[] = []
    for (const version of ['2.0.0', '1.1.0'] as const) {
      const url = `${server.url}/wfs?service=WFS&version=${version}&request=GetCapabilities`
      const capabilities = await (await fetch(url, { headers: { authorization } })).text()
      assert.match(capabilities, /Transaction/)
      xmlDocuments.push({ name: `capabilities ${version}`, text: capabilities })
      const isNewer = version === '2.0.0'
      const filter = isNewer
        ? '<fes:Filter><fes:ResourceId rid="places.1"/></fes:Filter>'
        : '<ogc:Filter><ogc:FeatureId fid="places.1"/></ogc:Filter>'
      const inside = isNewer
        ? `<wfs:Query typeNames="default:places">${filter}</wfs:Query>`
        : `<wfs:Lock typeName="default:places">${filter}</wfs:Lock>`
      const locked = await post(wfsXml(version, 'LockFeature', inside))
      xmlDocuments.push({ name: `lock ${version}`, text: locked })
      const refused = await post(wfsXml(version, 'LockFeature', inside))
      assert.match(refused, /CannotLockAllFeatures/)
      xmlDocuments.push({ name: `refused lock ${version}`, text: refused })
      const [, lockId] = /(?:lockId="|LockId>)([^"<]+)/.exec(locked) ?? []
      const insert = `<wfs:Insert><s:places xmlns:s="${server.url}/default/wfs"><s:name>new</s:name></s:places></wfs:Insert>`
      const remove = `<wfs:Delete typeName="default:places">${filter.replaceAll('places.1', 'places.2')}</wfs:Delete>`
      for (const [name, actions] of [
        ['insert', insert],
        ['delete', remove],
        ['release', ''],
      ] as const) {
        const more = name === 'release' ? `lockId="${lockId}"` : ''
        if (name === 'release' && !isNewer) continue
        const text = await post(wfsXml(version, 'Transaction', actions, more))
        assert.match(text, /TransactionResponse/)
        xmlDocuments.push({ name: `${name} ${version}`, text })
      }
      if (!isNewer) await post(wfsXml(version, 'Transaction', `<wfs:LockId>${lockId}</wfs:LockId>`))
    }
    assert.deepEqual(await faultsOfXml(t, xmlDocuments), {})
  })

  it('hold features that are valid by the schema of their type, in GML 3.2 and 3.1', async (t) => {
    const xmlDocuments: XmlDocument[] = []
    for (const [version, parameter] of [
      ['2.0.0', 'typeNames'],
      ['1.1.0', 'typeName'],
    ])
      for (const type of types) {
        const ask = (request: string): Promise<string> =>
          read(
            `/wfs?service=WFS&version=${version}&request=${request}&${parameter}=default:${type}&count=50&maxFeatures=50`,
          )
        const schemas = { [`${server.url}/default/wfs`]: await ask('DescribeFeatureType') }
        xmlDocuments.push({ name: `${type} ${version}`, text: await ask('GetFeature'), schemas })
        if (version === '1.1.0') continue
        for (const reference of await propertiesOf(type)) {
          const text = await ask(`GetPropertyValue&valueReference=${encodeURIComponent(reference)}`)
          assert.match(text, /<wfs:ValueCollection /)
          xmlDocuments.push({ name: `${reference} of ${type}`, text, schemas })
        }
      }
    assert.ok(xmlDocuments.length > 3 * types.length)
    assert.deepEqual(await faultsOfXml(t, xmlDocuments), {})
  })

  /** Every property of a type, and its ids. */
  async function propertiesOf(type: string): Promise<string[]> {
    const schema = await read(
      `/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType&typeNames=default:${type}`,
    )
    const names = [...schema.matchAll(/<xs:element name="([^"]*)" type="[^"]*" minOccurs=/g)].map(
      ([, name = '']) => name,
    )
    return ['@gml:id', ...names.slice(0, 12)]
  }
})
