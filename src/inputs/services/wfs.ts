import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '../../core/errors/errors.ts'
import { defined } from '../../core/values/defined.ts'
import { type FeatureProperty, parseFeatureType, writeFeatureSchema } from './feature-type-schema.ts'
import { checkCount, FeatureFile, SeenIds } from './read-features.ts'
import type { ServiceData, ServiceReader, ServiceReadOptions } from './service.ts'
import { ServiceClient, serviceFailure } from './service-client.ts'
import { type FeatureTypeAbout, meantCrs, parseFeatureTypeAbout } from './wfs-capabilities.ts'
import {
  exceptionOf,
  firstPosition,
  type GmlPage,
  parseHits,
  parsePage,
  srsNamesOf,
  withSrsName,
} from './wfs-page.ts'

const pageSize = 1000

/** Names of the parameters, which differ by version. */
interface WfsVersion {
  version: '2.0.0' | '1.1.0'
  types: string
  count: string
}

const versions: readonly WfsVersion[] = [
  { version: '2.0.0', types: 'typeNames', count: 'count' },
  { version: '1.1.0', types: 'typeName', count: 'maxFeatures' },
]

/**
 * Reads WFS 2.0 (09-025r2) and 1.1 (04-094): pages by `startIndex` if the service supports it, in the default
 * CRS of the feature type. The GML of all pages becomes one document. A feature schema next to it lists the
 * attributes that the service describes; without a schema the reader infers types from the values.
 */
export const wfs: ServiceReader = {
  kind: 'wfs',
  read: async (data, options) => {
    if (data.incremental !== undefined || data.where !== undefined)
      throw invalid('invalid-source', 'A WFS is read completely: remove "incremental" and "where"')
    const client = new ServiceClient(data.location, options)
    await client.prepare()
    const file = await FeatureFile.create(join(options.folder, 'features.gml'))
    try {
      const service = await describe(client, data)
      const { schema, properties } = service
      const { srsName, messages } = await new WfsRead(client, file, service).readAll(options)
      if ((await client.describe(request(service, 'DescribeFeatureType', {}))) !== schema)
        throw invalid('schema-changed', 'The attributes of the service changed while it was read')
      if (properties === undefined) return { ...(await file.finish()), messages }
      const text = writeFeatureSchema(data.layer, properties, srsName)
      file.note(text)
      const sidecars = { gfs: join(options.folder, 'features.gfs') }
      await writeFile(sidecars.gfs, text, { mode: 0o600 })
      return { ...(await file.finish()), sidecars, messages }
    } finally {
      await file.close()
      client.close()
    }
  },
}

/** A feature type of a service. */
interface WfsType extends ServiceData {
  wfsVersion: WfsVersion
  about: FeatureTypeAbout
  schema: string
  properties?: FeatureProperty[]
}

/** Returns the versions to request: that of the location, or all. */
function versionsOf({ location }: ServiceData): readonly WfsVersion[] {
  const named = [...new URL(location).searchParams].find(([name]) => name.toLowerCase() === 'version')?.[1]
  if (named === undefined || named === '') return versions
  return versions.filter(({ version }) => version.slice(0, 3) === named.slice(0, 3))
}

async function describe(client: ServiceClient, data: ServiceData): Promise<WfsType> {
  const accepted = versionsOf(data)
  const [newest] = accepted
  if (newest === undefined) throw invalid('invalid-source', 'WFS 2.0.0 and 1.1.0 are read, no other version')
  const url = request({ ...data, wfsVersion: newest }, 'GetCapabilities', {})
  url.searchParams.delete(newest.types)
  if (accepted.length > 1) url.searchParams.delete('version')
  url.searchParams.set('acceptVersions', accepted.map(({ version }) => version).join(','))
  const text = await client.describe(url)
  const [, answered = ''] = /<(?:\w+:)?WFS_Capabilities\b[^>]*?\sversion="([\d.]+)"/s.exec(text) ?? []
  if (answered === '') throw exceptionOf(text, url) ?? serviceFailure(`The service is no WFS: ${url.href}`)
  const wfsVersion = versions.find(({ version }) => version.slice(0, 3) === answered.slice(0, 3))
  if (wfsVersion === undefined) throw serviceFailure(`WFS ${answered} is not read: 2.0 and 1.1 are`)
  const about = parseFeatureTypeAbout(text, data.layer)
  const schema = await client.describe(request({ ...data, wfsVersion }, 'DescribeFeatureType', {}))
  return { ...data, wfsVersion, about, schema, properties: parseFeatureType(schema, data.layer) }
}

/** Returns the URL of a request, with the parameters of the location, such as the map file of MapServer. */
function request(
  { location, layer, wfsVersion }: Pick<WfsType, 'location' | 'layer' | 'wfsVersion'>,
  operation: string,
  parameters: Record<string, string>,
): URL {
  const url = new URL(location)
  const { version, types } = wfsVersion
  const own = new Set(['service', 'version', 'request', 'typename', 'typenames'])
  for (const name of [...url.searchParams.keys()])
    if (own.has(name.toLowerCase())) url.searchParams.delete(name)
  const all = { service: 'WFS', version, request: operation, [types]: layer, ...parameters }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return url
}

/**
 * True if more features follow the first `read` ones. The total of a page takes precedence over an earlier
 * count.
 */
function hasMore(
  { rows, hasNext }: GmlPage,
  read: number,
  { matched, hits = 0 }: { matched?: number; hits?: number },
): boolean {
  if (rows === 0) return false
  return matched === undefined ? hasNext || rows >= pageSize || read < hits : read < matched
}

/** Reads all features of a feature type into a file. */
class WfsRead {
  readonly #client: ServiceClient
  readonly #file: FeatureFile
  readonly #type: WfsType
  readonly #ids = new SeenIds()
  readonly #srsNames = new Set<string>()
  #hasIds = true

  constructor(client: ServiceClient, file: FeatureFile, type: WfsType) {
    this.#client = client
    this.#file = file
    this.#type = type
  }

  async readAll({ onRows }: ServiceReadOptions): Promise<{ srsName?: string; messages: string[] }> {
    const hits = parseHits(await this.#client.describe(this.#request({ resultType: 'hits' })))
    const isMore = (one: GmlPage, read: number) => hasMore(one, read, { matched: one.matched, hits })
    let page = await this.#page(pageSize, 0)
    const isPaged = !isMore(page, page.rows) || (await this.#hasPages(page))
    // A service that sends fewer features than requested has no more, or has its own limit.
    if (!isPaged && page.rows === pageSize) page = await this.#page()
    const { tail } = page
    await this.#file.frame(page.head)
    await this.#add(page)
    onRows?.(this.#file.rows)
    while (isPaged && isMore(page, this.#file.rows)) {
      page = await this.#page(pageSize, this.#file.rows)
      await this.#add(page)
      onRows?.(this.#file.rows)
    }
    await this.#file.frame(`${tail}\n`)
    const messages = this.#checkRows(page.matched, hits)
    const [srsName, ...others] = this.#srsNames
    return { srsName: others.length === 0 ? srsName : undefined, messages }
  }

  /** Tolerates missing features in the count: MapServer omits those on the edge of the bounds for WFS 1.1. */
  #checkRows(matched: number | undefined, hits: number | undefined): string[] {
    const { rows } = this.#file
    const messages = this.#messages()
    if (matched === undefined && hits !== undefined && hits < rows)
      return [...messages, `The service states ${hits} features and sends ${rows}`]
    checkCount(rows, matched ?? hits)
    return messages
  }

  #messages(): string[] {
    return this.#hasIds ? [] : ['The features have no ids: features that come twice are not detected']
  }

  /**
   * Returns false if the service ignores or refuses `startIndex`, which WFS 1.1 does not define. A service
   * that ignores it sends the first feature again.
   */
  async #hasPages(first: GmlPage): Promise<boolean> {
    const url = this.#pageUrl(1, 1)
    try {
      const second = parsePage(await this.#client.describe(url), url)
      const isSame = this.#hasSameStart(first, second)
      return second.rows === 1 && !isSame
    } catch (error) {
      if (this.#type.wfsVersion.version === '1.1.0') return false
      throw error
    }
  }

  #hasSameStart(first: GmlPage, second: GmlPage): boolean {
    if (first.ids.length > 0) return first.ids[0] === second.ids[0]
    const end = second.members.lastIndexOf('</')
    return first.members.startsWith(second.members.slice(0, end).trimEnd())
  }

  #request(parameters: Record<string, string>): URL {
    const { wfsVersion, about } = this.#type
    const { defaultCrs } = about
    // If the default CRS is a URN, a service that gets this URN responds in its axis order.
    const isNamed = wfsVersion.version === '1.1.0' && parameters['resultType'] === undefined
    const srsName = isNamed && defaultCrs?.startsWith('urn:') === true ? defaultCrs : undefined
    return request(this.#type, 'GetFeature', { ...parameters, ...defined({ srsName }) })
  }

  #pageUrl(count: number, from: number): URL {
    const { version, count: name } = this.#type.wfsVersion
    const startIndex = from > 0 || version === '2.0.0' ? String(from) : undefined
    return this.#request({ [name]: String(count), ...defined({ startIndex }) })
  }

  /** Reads one page, or all features at once. */
  async #page(count?: number, from = 0): Promise<GmlPage> {
    const url = count === undefined ? this.#request({}) : this.#pageUrl(count, from)
    return parsePage((await this.#client.page(url)).text, url)
  }

  async #add(page: GmlPage): Promise<void> {
    if (page.rows === 0) return
    if (page.ids.length < page.rows) this.#hasIds = false
    for (const id of page.ids) this.#ids.add(id)
    let meant = page
    for (const srsName of srsNamesOf(page)) {
      const urn = this.#meantCrs(srsName, page)
      if (urn !== undefined) meant = withSrsName(meant, srsName, urn)
      this.#srsNames.add(urn ?? srsName)
    }
    await this.#file.add(meant.members, meant.rows)
  }

  /** In version 2.0 all identifiers imply the axis order of the authority, as the reader assumes. */
  #meantCrs(srsName: string, page: GmlPage): string | undefined {
    const { wfsVersion, about } = this.#type
    return wfsVersion.version === '1.1.0' ? meantCrs(srsName, firstPosition(page), about) : undefined
  }
}
