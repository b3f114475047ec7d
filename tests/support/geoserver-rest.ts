import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { XmlElement } from '../../src/core/text/xml-tree.ts'
import { readXmlTree } from '../../src/core/text/xml-tree.ts'
import { defined } from '../../src/core/values/defined.ts'
import type { TestApp } from './app.ts'
import { createTestApp } from './app.ts'
import { zipOf } from './archives.ts'
import { storeParameters } from './postgis-store.ts'
import { runSql, testCluster } from './postgres.ts'

const basePath = '/geoserver'
export const fixtures = join(import.meta.dirname, '..', 'fixtures')

/** A request as a script sends it. */
export interface GeoserverRequest {
  type?: string
  accept?: string
  body?: string | Uint8Array | object
  headers?: Record<string, string>
}

export type GeoserverAnswer = Awaited<ReturnType<ReturnType<typeof geoserverClient>>>

/** Returns the root of an XML document; fails for text that is not well-formed. */
function xmlOf(text: string): XmlElement {
  const fail = (reason: unknown): never => assert.fail(`${String(reason)}: ${text.slice(0, 500)}`)
  const root = readXmlTree(text, { maxDepth: 50, onBroken: fail, onTooLarge: fail })
  return root.children[0] ?? fail('no root')
}

/** Returns the texts of the elements at a path of names. */
export function textsAt(element: XmlElement, path: string): string[] {
  const found = path
    .split('/')
    .reduce<XmlElement[]>(
      (inside, name) => inside.flatMap((one) => one.children.filter((child) => child.name === name)),
      [element],
    )
  return found.map(({ text }) => text.trim())
}

/** Sends requests of the user `admin`, or of another. */
export function geoserverClient(terrane: () => TestApp) {
  return async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { type, accept, body, headers = {} }: GeoserverRequest = {},
  ) => {
    const reply = await terrane().app.inject({
      method,
      url: basePath + path,
      headers: { ...terrane().admin, ...defined({ 'content-type': type, accept }), ...headers },
      ...defined({ payload: body instanceof Uint8Array ? Buffer.from(body) : body }),
    })
    return {
      status: reply.statusCode,
      type: String(reply.headers['content-type'] ?? '').split(';', 1)[0] ?? '',
      headers: reply.headers as Record<string, unknown>,
      text: reply.body,
      json: () => reply.json(),
      xml: () => xmlOf(reply.body),
    }
  }
}

/** A server below `/geoserver`, and a database with the tables `buildings` and `trees` in the schema `city`. */
export async function startGeoserver(env: Record<string, string> = {}) {
  const cluster = await testCluster()
  const url = await cluster.createDatabase()
  await runSql(
    url,
    `create schema city; set search_path = city, public;
     create table buildings (id int primary key, height float8, geom geometry(Polygon, 25832));
     insert into buildings values (1, 12.5, st_makeenvelope(500000, 5600000, 500010, 5600020, 25832));
     create table trees (id int primary key, kind text, geom geometry(Point, 4326));
     insert into trees values (1, 'oak', st_point(7, 50, 4326)), (2, 'elm', st_point(8, 51, 4326))`,
  )
  const terrane = await createTestApp({ env: { TERRANE_BASE_PATH: basePath, TERRANE_LOADS: '1', ...env } })
  return {
    terrane,
    parameters: storeParameters(url, 'city'),
    close: async () => {
      await terrane.close()
      await cluster.dropDatabase(url)
      await cluster.stop()
    },
  }
}

/** The XML that creates a PostGIS store. */
export function storeXml(name: string, parameters: Record<string, string | undefined>): string {
  const entries = Object.entries({ dbtype: 'postgis', ...parameters }).map(
    ([key, value]) => `<entry key="${key}">${value}</entry>`,
  )
  return `<dataStore><name>${name}</name><connectionParameters>${entries.join('')}</connectionParameters></dataStore>`
}

/** A Shapefile of lines under a name, as a zip. */
export function shapefileZip(name: string): Promise<Buffer> {
  const source = join(fixtures, 'shapefile', 'ne_110m_admin_0_boundary_lines_land')
  const entries = ['shp', 'shx', 'dbf', 'prj'].map((extension) => [
    `${name}.${extension}`,
    readFileSync(`${source}.${extension}`),
  ])
  return zipOf(Object.fromEntries(entries))
}

export function rasterBytes(): Buffer {
  return readFileSync(join(fixtures, 'raster', 'RGB.byte.tif'))
}

/** An SLD that draws lines in a colour. */
export function lineSld(color: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>roads</Name><UserStyle><FeatureTypeStyle><Rule><LineSymbolizer><Stroke><CssParameter name="stroke">${color}</CssParameter></Stroke></LineSymbolizer></Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
}
