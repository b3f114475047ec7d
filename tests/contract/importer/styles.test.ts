import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'

const sldType = 'application/vnd.ogc.sld+xml'
const mapLibreType = 'application/vnd.maplibre.style+json'
const sld = `<?xml version="1.0" encoding="ISO-8859-1"?>
<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>x</Name><UserStyle>
<Title>Fl\u00e4che</Title><FeatureTypeStyle><Rule><PointSymbolizer><Graphic><Mark><WellKnownName>circle</WellKnownName>
<Fill><CssParameter name="fill">#123456</CssParameter></Fill></Mark><Size>8</Size></Graphic></PointSymbolizer></Rule>
</FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
const qml =
  '<!DOCTYPE qgis PUBLIC "http://mrcc.com/qgis.dtd" "SYSTEM">\n<qgis version="3.28"><renderer-v2/></qgis>'

const style = '/0/tasks/0/layer/style'

async function uploaded(test: TestContext, sidecar: string, content: string | Uint8Array) {
  const client = await startImporter(test)
  await client.call('POST', '')
  const parts = ['shp', 'shx', 'dbf', 'prj'].map((ext) => ({
    name: `utf.${ext}`,
    content: readFileSync(`tests/fixtures/shapefile/utf.${ext}`),
  }))
  const answer = await client.upload(0, [...parts, { name: sidecar, content }])
  assert.equal(answer.status, 201, answer.text)
  return client
}

async function documentAs(client: ImporterClient, accept: string): Promise<string> {
  const answer = await client.call('GET', style, undefined, { accept })
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}

describe('the style of a task', () => {
  it('is the one for its geometry, as MapLibre and as SLD', async (test) => {
    const client = await uploaded(test, 'readme.txt', 'hello')
    const { json } = await client.call('GET', style)
    assert.equal(json.style?.name, 'point')
    assert.equal(JSON.parse(await documentAs(client, mapLibreType)).layers[0].type, 'circle')
    assert.match(await documentAs(client, sldType), /<PointSymbolizer>/)
    assert.equal(
      (await client.call('GET', style, undefined, { accept: 'application/vnd.qgis.qml+xml' })).status,
      404,
    )
  })

  it('is the SLD beside the data, before and after publication', async (test) => {
    const client = await uploaded(test, 'UTF.SLD', Buffer.from(sld, 'latin1'))
    for (const state of ['READY', 'COMPLETE']) {
      const { json } = await client.call('GET', style)
      assert.deepEqual([String(json.style?.name), String(json.style?.format)], ['utf', 'sld'])
      assert.match(await documentAs(client, sldType), /encoding="UTF-8".*<Title>Fläche<\/Title>/s)
      assert.equal(
        JSON.parse(await documentAs(client, mapLibreType)).layers[0].paint['circle-color'],
        '#123456',
      )
      if (state === 'READY') assert.equal((await client.call('POST', '/0')).status, 204)
    }
    const url = '/rest/workspaces/default/styles/utf.sld'
    const kept = await client.server.app.inject({ url, headers: client.server.admin })
    assert.equal(kept.statusCode, 200)
    const files = await client.call('GET', '/0/tasks/0/data')
    assert.ok(listOf<string>(files.json.other).includes('UTF.SLD'))
  })

  it('is the QML beside the data, as it came', async (test) => {
    const client = await uploaded(test, 'utf.qml', qml)
    await client.call('POST', '/0')
    assert.equal(await documentAs(client, 'application/vnd.qgis.qml+xml'), qml)
    assert.equal((await client.call('GET', style, undefined, { accept: sldType })).status, 404)
  })

  it('gets another name where there is a style of that name', async (test) => {
    const client = await uploaded(test, 'utf.sld', Buffer.from(sld, 'latin1'))
    const url = '/rest/workspaces/default/styles'
    const headers = { ...client.server.admin, 'content-type': sldType }
    await client.server.app.inject({ method: 'POST', url: `${url}?name=utf`, headers, payload: sld })
    await client.call('POST', '/0')
    assert.equal((await client.call('GET', style)).json.style?.name, 'utf0')
  })

  it('is the one that the client names, in place of the one beside the data', async (test) => {
    const client = await uploaded(test, 'utf.sld', Buffer.from(sld, 'latin1'))
    const put = await client.call('PUT', '/0/tasks/0/layer', { layer: { style: { name: 'generic' } } })
    assert.equal(put.json.layer?.style?.name, 'generic')
    await client.call('POST', '/0')
    assert.equal((await client.call('GET', style)).json.style?.name, 'generic')
  })

  it('is a usual one where the file beside the data is not a style, which a message says', async (test) => {
    for (const broken of ['<html/>', '<!DOCTYPE x><StyledLayerDescriptor/>', '<StyledLayerDescriptor>']) {
      const client = await uploaded(test, 'utf.sld', broken)
      const { json } = await client.call('GET', '/0/tasks/0')
      const [message] = listOf<{ code: string; message: string }>(json.task?.messages)
      assert.equal(message?.code, 'style-not-used')
      assert.match(message?.message ?? '', /"utf.sld" is not used as style: /)
      assert.equal((await client.call('GET', style)).json.style?.name, 'point')
    }
  })
})
