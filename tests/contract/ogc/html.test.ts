import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import { listLayers } from '../../support/listed-layers.ts'
import { createMosaic, makeGranule, mosaicServerOf, runMosaic } from '../../support/mosaics.ts'
import { importRaster } from '../../support/rasters.ts'
import type { ReadHtml } from '../../support/read-html.ts'
import { readHtml } from '../../support/read-html.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const hostile =
  '<script>alert(1)</script>"\'&</style>\u202eמִלִּים 🗺️\u0007 </script><img src=x onerror=alert(1)>'
const spots = '/ogc/collections/default%3Aspots'

/** Origins of standards, licences and DOIs. */
const namesOfStandards =
  /^https?:\/\/(?:www\.opengis\.net|portal\.ogc\.org|maplibre\.org|qgis\.org|publications\.europa\.eu|doi\.org)$/

describe('pages below /ogc', () => {
  let client: ImporterClient
  const closers: (() => unknown)[] = []
  before(async () => {
    const later = { after: (work: () => unknown) => void closers.push(work) }
    client = await startImporter(later as never)
    const { server } = client
    await importPoints(server, {
      name: 'spots',
      points: Array.from({ length: 60 }, (_, at) => [at === 1 ? hostile : `spot ${at}`, at / 10, 50]),
    })
    client.provide('raster/RGB.byte.tif')
    await importRaster(client, 'RGB.byte.tif')
    for (const column of [0, 1])
      makeGranule(join(server.dataDir, `incoming/m/g_${2020 + column}.tif`), { column })
    const mosaic = mosaicServerOf(client)
    const task = await runMosaic(mosaic, await createMosaic(mosaic, 'm', { mode: 'auto' }))
    assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
    const details = {
      title: hostile,
      abstract: 'Where spots are',
      keywords: ['spot', '</script>'],
      licence: 'CC-BY-4.0',
      attribution: 'Office of Spots',
      contact: 'spots@example.org',
      owner: 'Department of Spots',
      citation: 'Office of Spots (2026): Spots',
      doi: 'https://doi.org/10.1234/Spots',
    }
    const response = await send('PUT', '/rest/layers/default:spots', { layer: details })
    assert.equal(response.statusCode, 200, response.body)
    const opened = await send('PUT', '/rest/workspaces/default', { workspace: { public: true } })
    assert.equal(opened.statusCode, 200, opened.body)
  })
  after(async () => {
    for (const close of closers.reverse()) await close()
  })

  const send = (method: 'PUT' | 'POST', url: string, payload: object) =>
    client.server.app.inject({ method, url, headers: client.server.admin, payload })
  const get = (url: string, headers: Record<string, string> = {}) =>
    client.server.app.inject({ url, headers: { accept: browser, ...headers } })
  const read = async (url: string, headers: Record<string, string> = {}): Promise<ReadHtml> => {
    const reply = await get(url, headers)
    assert.match(String(reply.headers['content-type']), /^text\/html/, `${url}: ${reply.body.slice(0, 200)}`)
    try {
      return readHtml(reply.body)
    } catch (error) {
      throw new Error(`${url} is not a page`, { cause: error })
    }
  }

  it('lead nowhere that is not there, and load nothing from elsewhere', async () => {
    const waiting = ['/ogc']
    const seen = new Set(waiting)
    const pages: string[] = []
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      const reply = await get(url)
      assert.ok(reply.statusCode < 400, `${url}: ${reply.statusCode} ${reply.body.slice(0, 300)}`)
      if (!url.startsWith('/ogc') || !/^text\/html/.test(String(reply.headers['content-type']))) continue
      pages.push(url)
      const page = readHtml(reply.body)
      assert.equal(page.headings.length, 1, url)
      assert.ok(page.title.length > 8 && page.title.length < 230, page.title)
      assert.match(String(reply.headers.vary), /Accept, Accept-Language|Accept-Language/)
      assert.match(
        String(reply.headers['content-security-policy']),
        /^default-src 'none'; script-src 'self';(?!.*unsafe)/,
      )
      for (const href of page.loaded) assert.match(href, /^\/(?!\/)/, `${url} loads ${href}`)
      for (const href of [...page.links, ...page.loaded]) {
        const { origin, pathname, search } = new URL(href, `http://localhost:80${url}`)
        if (namesOfStandards.test(origin)) continue
        assert.equal(origin, 'http://localhost', `${url} leads to ${href}`)
        const next = pathname + search
        if (seen.has(next) || /\/file\/|^\/(?:app|docs|openapi)|[?&]lang=de/.test(next)) continue
        seen.add(next)
        waiting.push(next)
      }
    }
    const paths = new Set(pages.map((url) => url.split('?', 1).join()))
    for (const part of ['/conformance', '/api', '/collections', '/tileMatrixSets/WebMercatorQuad'])
      assert.ok(paths.has(`/ogc${part}`), part)
    for (const part of [
      '',
      '/items',
      '/items/1',
      '/schema',
      '/queryables',
      '/tiles',
      '/tiles/WebMercatorQuad',
    ])
      assert.ok(paths.has(spots + part), part)
    assert.ok(paths.has('/ogc/collections/default%3Am/granules/1'))
    assert.ok(
      pages.some((url) => /[?&](?:offset|position)=/.test(url)),
      'goes on to the last page',
    )
  })

  it('are there for every address that the description tells, and JSON for programs', async () => {
    const api = (await get('/ogc/api?f=json')).json<{ paths: Record<string, { get?: object }> }>()
    const values: Record<string, string> = {
      collectionId: 'default:spots',
      featureId: '1',
      tileMatrixSetId: 'WebMercatorQuad',
      recordId: 'default:spots',
      styleId: 'point',
    }
    const skipped = /file|tileRow|\/map|\/coverage|\/download/
    for (const path of Object.keys(api.paths).filter((one) => !skipped.test(one))) {
      const id = path.includes('/granules') ? 'default:m' : values['collectionId']
      const url = `/ogc${path}`.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'collectionId' ? String(id) : (values[name] ?? name),
      )
      await read(url)
      for (const headers of [{ accept: '*/*' }, { accept: 'application/json' }] as Record<string, string>[]) {
        const reply = await get(url, headers)
        assert.equal(reply.statusCode, 200, url)
        assert.match(String(reply.headers['content-type']), /json/, url)
        assert.match(String(reply.headers.vary), /\bAccept\b/, url)
      }
    }
  })

  it('show the catalogue too', async () => {
    const root = '/ogc/catalogue'
    const list = `${root}/collections/layers`
    const paths = ['', '/conformance', '/api', '/collections'].map((path) => root + path)
    for (const path of [
      ...paths,
      list,
      `${list}/sortables`,
      `${list}/items`,
      `${list}/items/default:spots`,
    ]) {
      const page = await read(path)
      assert.equal(page.headings.length, 1, path)
      for (const href of page.links.filter((one) => one.startsWith('/ogc')))
        assert.ok((await get(href)).statusCode < 400, `${path} leads to ${href}`)
      const response = await get(path, { accept: 'application/json' })
      assert.match(String(response.headers['content-type']), /json/)
    }
    const found = await read(`${list}/items?q=where%20spots&bbox=`)
    assert.match(found.text, /1 found/)
    assert.ok(found.text.includes(hostile.slice(0, 25)))
  })

  it('show a table, a picture and the filter of the address', async () => {
    const empty = 'filter=&bbox=&datetime=&limit=10'
    const page = await read(`${spots}/items?${empty}`)
    assert.match(page.text, /1 to 10 of 60/)
    assert.ok(page.elements.has('svg') && page.elements.has('table') && page.elements.has('form'))
    const filtered = await read(
      `${spots}/items?filter=${encodeURIComponent("name = 'spot 7'")}&limit=10&bbox=0,49,9,51`,
    )
    assert.match(filtered.text, /1 to 1 of 1/)
    const { body } = await get(`${spots}/items?filter=${encodeURIComponent("name = 'spot 7'")}`)
    assert.match(body, /name="filter" value="name = &#39;spot 7&#39;"/)
    const most = await read(`${spots}/items?limit=9999`)
    assert.match(most.text, /1 to 60 of 60/)
    const none = await read(`${spots}/items?filter=${encodeURIComponent("name = 'nowhere'")}`)
    assert.match(none.text, /No feature meets this/)
  })

  it('tell what is wrong as pages, with the status that programs get', async () => {
    for (const [url, status] of [
      [`${spots}/items?filter=name%20=`, 400],
      [`${spots}/items?nonsense=1`, 400],
      [`${spots}/items/none`, 404],
      ['/ogc/collections/default:none', 401],
      ['/ogc/tileMatrixSets/none', 404],
      ['/ogc/nothing', 404],
    ] as const) {
      const reply = await get(url)
      assert.equal(reply.statusCode, status, url)
      const page = readHtml(reply.body)
      assert.equal(page.headings.length, 1)
      const response = await get(url, { accept: 'application/json' })
      assert.equal(response.statusCode, status, url)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      assert.ok(page.text.includes(response.json<{ detail: string }>().detail), url)
    }
  })

  it('show what is not public to those who may see it alone', async () => {
    await send('PUT', '/rest/workspaces/default', { workspace: { public: false } })
    try {
      for (const url of [spots, `${spots}/items`, `${spots}/items/1`, `${spots}/schema`, `${spots}/tiles`]) {
        const reply = await get(url)
        assert.equal(reply.statusCode, 401, url)
        assert.ok(readHtml(reply.body).links.some((href) => href.includes('/app/sign-in?to=')))
        assert.equal((await get(url, client.server.admin)).statusCode, 200, url)
      }
      const list = await read('/ogc/collections')
      assert.ok(!list.text.includes('spots'))
      assert.ok((await read('/ogc/collections', client.server.admin)).text.includes('default:spots'))
    } finally {
      await send('PUT', '/rest/workspaces/default', { workspace: { public: true } })
    }
  })

  it('are in the language that is asked for, by address before header', async () => {
    for (const [url, accepted, language] of [
      [spots, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
      [spots, 'fr, en;q=0.5, de;q=0.2', 'en'],
      [spots, 'fr', 'en'],
      [`${spots}?lang=de`, 'en', 'de'],
      [`${spots}?lang=xx`, 'de', 'de'],
    ] as const) {
      const reply = await get(url, { 'accept-language': accepted })
      assert.equal(readHtml(reply.body).language, language, `${url} ${accepted}`)
      assert.equal(reply.headers['content-language'], language)
    }
    const german = await read(`${spots}/items?lang=de`)
    assert.match(german.text, /Weiter/)
    // The form has it in a field.
    const own = german.links.filter((href) => href.startsWith('/ogc') && href !== `${spots}/items`)
    assert.ok(own.length > 5)
    for (const href of own) assert.match(href, /[?&]lang=(?:de|en)(?!.*lang=)/)
    const tags = await Promise.all(
      ['de', 'en'].map(async (language) => {
        const reply = await untilTagged(() => get(spots, { 'accept-language': language }))
        return reply.headers.etag
      }),
    )
    assert.notEqual(tags[0], tags[1])
    const known = { 'accept-language': 'de', 'if-none-match': String(tags[0]) }
    await untilUnchanged(() => get(spots, known))
  })

  it('tell search engines what there is, and nothing in it ends its element', async () => {
    const [dataset] = (await read(spots)).data as Record<string, unknown>[]
    assert.equal(dataset?.['@type'], 'Dataset')
    assert.equal(dataset?.['name'], hostile)
    assert.ok(String(dataset?.['description']).length >= 50)
    assert.deepEqual(dataset?.['keywords'], ['spot', '</script>'])
    assert.equal(dataset?.['license'], 'CC-BY-4.0')
    assert.equal(dataset?.['citation'], 'Office of Spots (2026): Spots')
    assert.equal(dataset?.['sameAs'], 'https://doi.org/10.1234/spots')
    assert.deepEqual(dataset?.['identifier'], ['default:spots', 'https://doi.org/10.1234/spots'])
    assert.deepEqual(dataset?.['creator'], { '@type': 'Organization', name: 'Office of Spots' })
    assert.deepEqual(dataset?.['spatialCoverage'], {
      '@type': 'Place',
      geo: { '@type': 'GeoShape', box: '50 0 50 5.9' },
    })
    const distribution = dataset?.['distribution'] as { contentUrl: string; encodingFormat: string }[]
    for (const { contentUrl, encodingFormat } of distribution) {
      const { pathname, search } = new URL(contentUrl)
      const reply = await get(pathname + search)
      assert.equal(reply.statusCode, 200, contentUrl)
      assert.equal(String(reply.headers['content-type']).split(';', 1)[0], encodingFormat)
    }
    assert.ok(distribution.length >= 2)
    const [catalogue] = (await read('/ogc/collections')).data as Record<string, unknown>[]
    assert.equal(catalogue?.['@type'], 'DataCatalog')
    const { dataset: datasets } = catalogue as { dataset: unknown[] }
    assert.equal(datasets.length, 3)
  })

  it('show hostile names and values as they are', async () => {
    for (const url of ['/ogc/collections', spots, `${spots}/items`, `${spots}/items/2`, `${spots}/schema`]) {
      const { body } = await get(url)
      assert.doesNotMatch(body, /<script>alert|<img src=x|\p{Cc}(?<!\s)/u, url)
      assert.ok(readHtml(body).text.includes('<script>alert(1)</script>'), url)
    }
  })
})

describe('the page of many layers', () => {
  it('leads on to all of them', async (t) => {
    const server = await createTestApp()
    t.after(() => server.close())
    await listLayers(
      server,
      Array.from({ length: 130 }, (_, at) => ({ workspace: 'default', name: `layer_${at}` })),
    )
    const found = new Set<string>()
    let next: string | undefined = '/ogc/collections'
    for (let page = 0; next !== undefined && page < 5; page += 1) {
      const { statusCode, body }: { statusCode: number; body: string } = await server.app.inject({
        url: next,
        headers: { accept: browser, ...server.admin },
      })
      assert.equal(statusCode, 200, body)
      for (const [, name = ''] of body.matchAll(/<bdi>(default:layer_\d+)<\/bdi>/g)) found.add(name)
      next = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    }
    assert.equal(found.size, 130)
  })
})

describe('pages below /ogc, below a base path', () => {
  it('lead on below it', async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'terrane-html-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const bare = await createTestApp({ dataDir })
    await importPoints(bare, { name: 'spots' }).finally(() => bare.close())
    const based = await createTestApp({ dataDir, env: { TERRANE_BASE_PATH: '/geo/server' } })
    t.after(() => based.close())
    const { app, admin } = based
    const pages = ['/ogc', '/ogc/collections', spots, `${spots}/items`, `${spots}/items/1`]
    for (const path of pages) {
      const reply = await app.inject({ url: `/geo/server${path}`, headers: { accept: browser, ...admin } })
      assert.equal(reply.statusCode, 200, path)
      for (const href of readHtml(reply.body).links) {
        const { pathname, search } = new URL(href, `http://localhost/geo/server${path}`)
        assert.match(pathname, /^\/geo\/server(\/|$)/, `${path} leads to ${href}`)
        const led = await app.inject({ url: pathname + search, headers: { accept: browser, ...admin } })
        assert.ok(led.statusCode < 400, `${path} leads to ${href}: ${led.statusCode}`)
      }
    }
  })
})
