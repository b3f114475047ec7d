import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { serveMaps } from '../support/served-maps.ts'
import { startServer } from '../support/server.ts'
import { temporaryData } from '../support/terrane-process.ts'
import type { XmlWish } from '../support/validate-xml.ts'
import { faultsOfXml } from '../support/validate-xml.ts'

const run = promisify(execFile)

const about = {
  TERRANE_SERVICE_TITLE: 'Maps of <Überlingen> & 漢字',
  TERRANE_SERVICE_ABSTRACT: 'Everything "there" is',
  TERRANE_SERVICE_KEYWORDS: 'roads, a&b , ,trees',
  TERRANE_SERVICE_FEES: 'none & never',
  TERRANE_SERVICE_ACCESS: 'CC BY 4.0',
  TERRANE_CONTACT_ORGANISATION: 'City & County',
  TERRANE_CONTACT_PERSON: 'Ada <L>',
  TERRANE_CONTACT_POSITION: 'Geodata',
  TERRANE_CONTACT_EMAIL: 'maps@example.org',
  TERRANE_CONTACT_PHONE: '+49 1',
  TERRANE_CONTACT_STREET: 'Market 1',
  TERRANE_CONTACT_CITY: 'Überlingen',
  TERRANE_CONTACT_POSTCODE: '88662',
  TERRANE_CONTACT_COUNTRY: 'Germany',
  TERRANE_CONTACT_URL: 'https://example.org/maps?a=1&b=2',
}
const capabilities = [
  '/wms?service=WMS&version=1.3.0&request=GetCapabilities',
  '/wmts?service=WMTS&request=GetCapabilities',
  '/wfs?service=WFS&version=2.0.0&request=GetCapabilities',
  '/wfs?service=WFS&version=1.1.0&request=GetCapabilities',
  '/wcs?service=WCS&version=2.0.1&request=GetCapabilities',
  '/wcs?service=WCS&version=1.0.0&request=GetCapabilities',
]

/** What OWSLib reads of each service. */
const reader = `
import json, sys
from owslib.wms import WebMapService
from owslib.wmts import WebMapTileService
from owslib.wfs import WebFeatureService
base = sys.argv[1]
told = []
for service in (
    WebMapService(base + '/wms', version='1.1.1'), WebMapService(base + '/wms', version='1.3.0'),
    WebMapTileService(base + '/wmts'), WebFeatureService(base + '/wfs', version='1.1.0'), WebFeatureService(base + '/wfs', version='2.0.0'),
):
    i, p = service.identification, service.provider
    contact = p.contact
    told.append([i.title, i.abstract, i.keywords, i.fees, contact.name, getattr(contact, 'organization', None) or getattr(p, 'name', None), contact.email, contact.city])
print(json.dumps(told))`

describe('what the older services say of themselves', { timeout: 120_000 }, () => {
  it('is by the settings in each, valid and as OWSLib reads it', async (t) => {
    const server = await serveMaps(t, about)
    const documents: XmlWish[] = []
    for (const name of capabilities)
      documents.push({ name, text: await (await fetch(`${server.url}${name}`)).text() })
    assert.deepEqual(await faultsOfXml(t, documents), {})
    for (const { name, text } of documents)
      for (const word of [
        'Maps of &lt;Überlingen&gt; &amp; 漢字',
        'Everything &quot;there&quot; is',
        'a&amp;b',
        ...(name.includes('version=1.0.0') ? ['none_never', 'CC_BY_4.0'] : ['none &amp; never', 'CC BY 4.0']),
        'City &amp; County',
        'maps@example.org',
      ])
        assert.ok(text.includes(word) || text.includes(word.replaceAll('&quot;', '"')), `${name}: ${word}`)
    const { stdout } = await run('/usr/bin/python3', ['-c', reader, server.url])
    for (const [at, told] of (JSON.parse(stdout) as unknown[][]).entries())
      assert.deepEqual(told, [
        about.TERRANE_SERVICE_TITLE,
        about.TERRANE_SERVICE_ABSTRACT,
        ['roads', 'a&b', 'trees'],
        about.TERRANE_SERVICE_FEES,
        about.TERRANE_CONTACT_PERSON,
        about.TERRANE_CONTACT_ORGANISATION,
        // OWSLib looks for that of WMS 1.3.0 without its namespace.
        at === 1 ? null : about.TERRANE_CONTACT_EMAIL,
        about.TERRANE_CONTACT_CITY,
      ])
    await server.stop()
  })

  it('has what INSPIRE wants of a view service where its record is named', async (t) => {
    const record = 'https://example.org/csw?id=1&f=xml'
    const env = { TERRANE_INSPIRE_METADATA: record, TERRANE_SERVICE_LANGUAGE: 'ger' }
    const server = await startServer(t, temporaryData(t), env)
    const text = await (await fetch(`${server.url}${capabilities[0]}`)).text()
    assert.match(text, /<inspire_vs:ExtendedCapabilities [^>]*inspire_vs\.xsd">/)
    assert.match(text, /<inspire_common:URL>https:\/\/example\.org\/csw\?id=1&amp;f=xml</)
    assert.equal(text.match(/<inspire_common:Language>ger</g)?.length, 2)
    assert.ok(text.indexOf('</Exception>') < text.indexOf('<inspire_vs:'))
    assert.ok(text.indexOf('</inspire_vs:ExtendedCapabilities>') < text.indexOf('<Layer>'))
    await server.stop()
  })

  it('has what INSPIRE wants of download services where their record is named', async (t) => {
    const record = 'https://example.org/csw?id=2&f=xml'
    const server = await serveMaps(t, {
      ...{ TERRANE_INSPIRE_DOWNLOAD_METADATA: record, TERRANE_SERVICE_LANGUAGE: 'ger' },
    })
    const wishes: XmlWish[] = []
    for (const [name, path, names] of [
      ['WFS', '/wfs?service=WFS&request=GetCapabilities', ['default:countries', 'default:states']],
      ['WCS', '/wcs?service=WCS&request=GetCapabilities', ['default__islands']],
    ] as const) {
      const text = await (await fetch(`${server.url}${path}`)).text()
      wishes.push({ name, text })
      assert.match(text, /<inspire_common:URL>https:\/\/example\.org\/csw\?id=2&amp;f=xml</)
      assert.equal(text.match(/<inspire_common:Language>ger</g)?.length, 2)
      const [, inside = ''] = /inspire_dls\.xsd">(.*)<\/inspire_dls:ExtendedCapabilities>/s.exec(text) ?? []
      const found = [...inside.matchAll(/<inspire_common:Code>([^<]+)</g)].map(([, code]) => code)
      for (const one of names) assert.ok(found.includes(one), `${found}`)
      assert.ok(!found.some((one) => /secret/.test(String(one))))
      assert.equal(inside.match(/<inspire_common:Namespace>http[^<]+</g)?.length, found.length)
      assert.match(text, /<\/ows:ExtendedCapabilities><\/ows:OperationsMetadata>/)
    }
    assert.deepEqual(await faultsOfXml(t, wishes), {})
    const older = await (
      await fetch(`${server.url}/wfs?service=WFS&version=1.1.0&request=GetCapabilities`)
    ).text()
    assert.doesNotMatch(older, /inspire/)
    await server.stop()
  })
})
