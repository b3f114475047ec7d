import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import { clientOf } from './importer-client.ts'

/** Response to a WFS request. */
export interface WfsAnswer {
  status: number
  text: string
  headers: Record<string, unknown>
}

/** Attributes of the root element of a request, by version. */
const roots = {
  '2.0.0':
    'xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"',
  '1.1.0':
    'xmlns:wfs="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"',
  '1.0.0':
    'xmlns:wfs="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"',
}
export type TestedWfs = keyof typeof roots

/** A request in XML: `more` are further attributes of its root element. */
export function wfsXml(version: TestedWfs, operation: string, inside: string, more = ''): string {
  return `<wfs:${operation} service="WFS" version="${version}" ${roots[version]} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ${more}>${inside}</wfs:${operation}>`
}

/** Posts XML as the administrator, unless headers say otherwise. */
export async function postWfs(
  server: TestApp,
  body: string,
  { headers = server.admin, path = '/wfs' }: { headers?: Record<string, string>; path?: string } = {},
): Promise<WfsAnswer> {
  const reply = await server.app.inject({
    method: 'POST',
    url: path,
    payload: body,
    headers: { ...headers, 'content-type': 'text/xml' },
  })
  return { status: reply.statusCode, text: reply.body, headers: reply.headers }
}

/** The namespace of the types of a workspace, as DescribeFeatureType has it. */
export async function namespaceOfTypes(server: TestApp, layer: string): Promise<string> {
  const url = `/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType&typeNames=${layer}`
  const { body } = await server.app.inject({ method: 'GET', url, headers: server.admin })
  const [, namespace] = /targetNamespace="([^"]*)"/.exec(body) ?? []
  assert.ok(namespace, body)
  return namespace
}

/** Ids that a response names, in their order. */
export function idsIn(text: string, part = ''): string[] {
  const inside =
    part === '' ? text : (new RegExp(`<wfs:${part}>(.*)</wfs:${part}>`, 's').exec(text)?.[1] ?? '')
  return [...inside.matchAll(/(?:rid|fid)="([^"]*)"/g)].map(([, id = '']) => id)
}

/** Numbers of a TransactionSummary by their names. */
export function totalsIn(text: string): Record<string, number> {
  const found = [...text.matchAll(/<wfs:(total\w+)>(\d+)</g)]
  return Object.fromEntries(found.map(([, name = '', count]) => [name, Number(count)]))
}

/** Code, locator and text of the first exception of a report. */
export function exceptionIn(text: string): { code?: string; locator?: string; text?: string } {
  const [, code] = /exceptionCode="([^"]*)"/.exec(text) ?? []
  const [, locator] = /locator="([^"]*)"/.exec(text) ?? []
  const [, message] = /<ows:ExceptionText>([^<]*)</.exec(text) ?? []
  return { code, locator, text: message }
}

/** Imports features as a layer of a store. */
export async function importFeatures(
  server: TestApp,
  { name, store, features }: { name: string; store: string; features: readonly object[] },
): Promise<void> {
  const client = clientOf(server)
  const target = {
    targetWorkspace: { workspace: { name: 'default' } },
    targetStore: { dataStore: { name: store } },
  }
  const created = await client.call('POST', '', { import: target })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  const content = JSON.stringify({ type: 'FeatureCollection', features })
  const uploaded = await client.upload(id, [{ name: `${name}.geojson`, content }])
  assert.equal(uploaded.status, 201, uploaded.text)
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}`)
  assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
}

/** A feature of GeoJSON. */
export function featureOf(properties: object, type: string, coordinates: unknown): object {
  return { type: 'Feature', properties, geometry: { type, coordinates } }
}
