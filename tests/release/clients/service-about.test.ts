import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { serveMaps } from '../../support/served-maps.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import type { XmlDocument } from '../../support/validate-xml.ts'
import { faultsOfXml } from '../../support/validate-xml.ts'

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

/** Python program that prints what OWSLib reads from each service. */
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

describe('what the older services say of themselves', () => {
  it('is by the settings in each, valid and as OWSLib reads it', async (t) => {
    const server = await serveMaps(t, about)
    const documents: XmlDocument[] = []
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
    for (const [at, reported] of (JSON.parse(stdout) as unknown[][]).entries())
      assert.deepEqual(reported, [
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
    const env = {
      TERRANE_INSPIRE_METADATA: record,
      TERRANE_SERVICE_LANGUAGE: 'ger',
      TERRANE_SERVICE_TRANSLATIONS: '{"eng":{"title":"Maps"}}',
    }
    const server = await startServer(t, temporaryData(t), env)
    const text = await (await fetch(`${server.url}${capabilities[0]}`)).text()
    assert.match(text, /<inspire_vs:ExtendedCapabilities [^>]*inspire_vs\.xsd">/)
    assert.match(text, /<inspire_common:URL>https:\/\/example\.org\/csw\?id=1&amp;f=xml</)
    assert.equal(text.match(/<inspire_common:Language>ger</g)?.length, 2)
    assert.ok(text.indexOf('</Exception>') < text.indexOf('<inspire_vs:'))
    const other = await (await fetch(`${server.url}${capabilities[0]}&LANGUAGE=eng`)).text()
    assert.match(other, /<Title>Maps<\/Title>/)
    assert.match(
      other,
      /DefaultLanguage><inspire_common:Language>ger<.*SupportedLanguage><inspire_common:Language>eng<.*ResponseLanguage><inspire_common:Language>eng</,
    )
    assert.ok(text.indexOf('</inspire_vs:ExtendedCapabilities>') < text.indexOf('<Layer>'))
    await server.stop()
  })

  it('tells titles in the language that is asked for, terms of layers, and every style that they are offered in', async (t) => {
    const record = 'https://example.org/csw?id=3'
    const server = await serveMaps(t, {
      TERRANE_SERVICE_TITLE: 'Maps of the city',
      TERRANE_SERVICE_TRANSLATIONS: JSON.stringify({
        ger: { title: 'Karten der <Stadt>', keywords: ['Wege'] },
      }),
      TERRANE_INSPIRE_DOWNLOAD_METADATA: record,
    })
    const reported = {
      title: 'States & more',
      abstract: 'Borders',
      attribution: '© <Office>',
      licence: 'CC BY 4.0',
      contact: 'maps@example.org',
      styles: ['mine', 'line', 'polygon', 'line'],
      translations: { ger: { title: 'Länder & mehr', keywords: ['Grenze'] }, fre: { title: 'États' } },
    }
    for (const name of ['mine', 'theirs']) {
      const style = { name }
      const kept = await server.call('POST', '/rest/styles', { style })
      assert.equal(kept.status, 201, kept.text)
    }
    for (const name of ['default:states', 'default:islands']) {
      const own = name === 'default:islands' ? { styles: [] } : {}
      const put = await server.call('PUT', `/rest/layers/${name}`, { layer: { ...reported, ...own } })
      assert.ok(put.status < 300, put.text)
    }
    const read = async (path: string): Promise<string> => (await fetch(`${server.url}${path}`)).text()
    const xmlDocuments: XmlDocument[] = []
    for (const name of capabilities)
      for (const [requested, title, service] of [
        ['', 'States &amp; more', 'Maps of the city'],
        ['&LANGUAGE=ger', 'Länder &amp; mehr', 'Karten der &lt;Stadt&gt;'],
        ['&AcceptLanguages=it,de-CH,fr', 'Länder &amp; mehr', 'Karten der &lt;Stadt&gt;'],
        ['&language=fra', 'États', 'Maps of the city'],
        ['&language=xx', 'States &amp; more', 'Maps of the city'],
      ] as const) {
        const text = await read(`${name}${requested}`)
        if (requested !== '&language=xx') xmlDocuments.push({ name: `${name}${requested}`, text })
        for (const one of [
          title,
          service,
          '© &lt;Office&gt;',
          'Licence: CC BY 4.0',
          'Contact: maps@example.org',
        ])
          assert.ok(text.includes(one), `${name}${requested}: ${one}`)
        if (requested === '&LANGUAGE=ger') assert.match(text, /[Kk]eyword>Grenze</, name)
        if (!text.includes('<inspire_common:SupportedLanguages>')) continue
        const code = { 'Länder &amp; mehr': 'ger', États: 'fre' }[title as string] ?? 'eng'
        assert.deepEqual(
          [...text.matchAll(/<inspire_common:Language>(\w+)</g)].map(([, one]) => one),
          ['eng', 'fre', 'ger', code],
        )
      }
    assert.deepEqual(await faultsOfXml(t, xmlDocuments), {})
    const [wms = '', wmts = ''] = await Promise.all(capabilities.slice(0, 2).map(read))
    const layer = (text: string): string =>
      text.split('<Layer').find((one) => one.includes('>default:states<')) ?? ''
    assert.match(layer(wms), /<Attribution><Title>© &lt;Office&gt;</)
    assert.deepEqual(
      [...layer(wms).matchAll(/<Style><Name>([^<]*)</g)].map(([, one]) => one),
      ['polygon', 'mine', 'line'],
    )
    assert.deepEqual(
      [...layer(wmts).matchAll(/<Style isDefault="(\w+)"><ows:Identifier>([^<]*)</g)].map((one) =>
        one.slice(1),
      ),
      [
        ['true', 'polygon'],
        ['false', 'mine'],
        ['false', 'line'],
      ],
    )
    // Clients that may read the layer may request each of its styles and its legend, but no other style.
    const map =
      '/wms?service=WMS&version=1.3.0&request=GetMap&layers=default:states&crs=CRS:84&bbox=-130,20,-60,60&width=50&height=50&format=image/png'
    const statuses = ['mine', 'line', 'theirs'].map(
      async (style) => (await fetch(`${server.url}${map}&styles=${style}`)).status,
    )
    assert.deepEqual(await Promise.all(statuses), [200, 200, 404])
    const gone = await server.call('DELETE', '/rest/styles/mine')
    assert.equal(gone.status, 200, gone.text)
    const left = await server.call('GET', '/rest/layers/default:states')
    assert.deepEqual((left.json as { layer?: { styles?: unknown } }).layer?.styles, [{ name: 'line' }])
    const [legend = ''] = /[^"]*legend\.png\?style=line/.exec(layer(wms)) ?? []
    assert.equal((await fetch(legend)).headers.get('content-type'), 'image/png')
    await server.stop()
  })

  it('has what INSPIRE wants of download services where their record is named', async (t) => {
    const record = 'https://example.org/csw?id=2&f=xml'
    const server = await serveMaps(t, {
      TERRANE_INSPIRE_DOWNLOAD_METADATA: record,
      TERRANE_SERVICE_LANGUAGE: 'ger',
    })
    const xmlDocuments: XmlDocument[] = []
    for (const [name, path, names] of [
      ['WFS', '/wfs?service=WFS&request=GetCapabilities', ['default:countries', 'default:states']],
      ['WCS', '/wcs?service=WCS&request=GetCapabilities', ['default__islands']],
    ] as const) {
      const text = await (await fetch(`${server.url}${path}`)).text()
      xmlDocuments.push({ name, text })
      assert.match(text, /<inspire_common:URL>https:\/\/example\.org\/csw\?id=2&amp;f=xml</)
      assert.equal(text.match(/<inspire_common:Language>ger</g)?.length, 2)
      const [, inside = ''] = /inspire_dls\.xsd">(.*)<\/inspire_dls:ExtendedCapabilities>/s.exec(text) ?? []
      const found = [...inside.matchAll(/<inspire_common:Code>([^<]+)</g)].map(([, code]) => code)
      for (const one of names) assert.ok(found.includes(one), `${found}`)
      assert.ok(!found.some((one) => /secret/.test(String(one))))
      assert.equal(inside.match(/<inspire_common:Namespace>http[^<]+</g)?.length, found.length)
      assert.match(text, /<\/ows:ExtendedCapabilities><\/ows:OperationsMetadata>/)
    }
    assert.deepEqual(await faultsOfXml(t, xmlDocuments), {})
    const older = await (
      await fetch(`${server.url}/wfs?service=WFS&version=1.1.0&request=GetCapabilities`)
    ).text()
    assert.doesNotMatch(older, /inspire/)
    await server.stop()
  })
})
