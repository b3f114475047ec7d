import assert from 'node:assert/strict'
import type { TestServer } from './server.ts'

/** Sets a style `flat` for the countries: areas without an outline, which would cover more than the area. */
export async function paintFlat(server: Pick<TestServer, 'call'>, color: string): Promise<void> {
  const fill = `<PolygonSymbolizer><Fill><CssParameter name="fill">${color}</CssParameter></Fill></PolygonSymbolizer>`
  const named = `<NamedLayer><Name>flat</Name><UserStyle><FeatureTypeStyle><Rule>${fill}</Rule></FeatureTypeStyle></UserStyle></NamedLayer>`
  const document = `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld">${named}</StyledLayerDescriptor>`
  const made = await server.call('POST', '/rest/styles', { style: { name: 'flat', format: 'sld', document } })
  assert.equal(made.status, 201, made.text)
  const layer = { defaultStyle: { name: 'flat' } }
  const put = await server.call('PUT', '/rest/layers/default:countries', { layer })
  assert.ok(put.status < 300, put.text)
}
