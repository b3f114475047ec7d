import { join } from 'node:path'
import { invalid } from '../../core/errors/errors.ts'
import { checkCount, FeatureFile, SeenIds } from './read-features.ts'
import type { ServiceData, ServiceReader, ServiceReadOptions } from './service.ts'
import { ServiceClient, serviceFailure } from './service-client.ts'

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
 * Reads WFS 2.0 (09-025r2) and 1.1 (04-094): pages by `startIndex`, in the CRS of the feature type. The GML of
 * the pages becomes one document; its reader knows types and axis order.
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
      const wfsVersion = await findVersion(client, data)
      const schema = await client.describe(request(data, wfsVersion, 'DescribeFeatureType', {}))
      await readPages(client, file, data, wfsVersion, options)
      if ((await client.describe(request(data, wfsVersion, 'DescribeFeatureType', {}))) !== schema)
        throw invalid('schema-changed', 'The attributes of the service changed while it was read')
      return { ...(await file.finish()), messages: [] }
    } finally {
      await file.close()
      client.close()
    }
  },
}

/** Returns the address of a request; parameters of the location stay, such as the map file of MapServer. */
function request(
  { location, layer }: ServiceData,
  { version, types }: WfsVersion,
  operation: string,
  parameters: Record<string, string>,
): URL {
  const url = new URL(location)
  const own = new Set(['service', 'version', 'request', 'typename', 'typenames'])
  for (const name of [...url.searchParams.keys()])
    if (own.has(name.toLowerCase())) url.searchParams.delete(name)
  const all = { service: 'WFS', version, request: operation, [types]: layer, ...parameters }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return url
}

async function findVersion(client: ServiceClient, data: ServiceData): Promise<WfsVersion> {
  const [newest] = versions
  if (newest === undefined) throw new Error('There is no version')
  const url = request(data, newest, 'GetCapabilities', {})
  for (const name of ['typeNames', 'version']) url.searchParams.delete(name)
  url.searchParams.set('acceptVersions', versions.map(({ version }) => version).join(','))
  const text = await client.describe(url)
  const [, answered = ''] = /<(?:\w+:)?WFS_Capabilities\b[^>]*?\sversion="([\d.]+)"/s.exec(text) ?? []
  if (answered === '') throw exceptionOf(text, url) ?? serviceFailure(`The service is no WFS: ${url.href}`)
  const found = versions.find(({ version }) => version.slice(0, 3) === answered.slice(0, 3))
  if (found === undefined) throw serviceFailure(`WFS ${answered} is not read: 2.0 and 1.1 are`)
  return found
}

function exceptionOf(text: string, url: URL): Error | undefined {
  if (!/<(?:\w+:)?(ExceptionReport|ServiceExceptionReport)\b/.test(text)) return undefined
  const [, reason = ''] = /<(?:\w+:)?(?:ExceptionText|ServiceException)\b[^>]*>(.*?)</s.exec(text) ?? []
  return serviceFailure(`The service answers an exception: ${reason.trim().slice(0, 500)} (${url.href})`)
}

/** A GML page in parts. */
interface GmlPage {
  /** XML declaration and start tag of the collection. */
  head: string
  members: string
  tail: string
  rows: number
  ids: string[]
  /** Stated total, if the service knows it. */
  matched?: number
}

const collection = /<((?:\w+:)?FeatureCollection)\b[^>]*?(\/?)>/s
const bounds = /<((?:\w+:)?boundedBy)\b[^>]*>.*?<\/\1>/s
const memberStart = /<(?:\w+:)?(?:member|featureMembers?)\b[^>]*>/g
const featureId = /<[\w.:-]+(?:\s+[\w.:-]+="[^"]*")*?\s+(?:gml:id|fid)="([^"]*)"/

function parsePage(text: string, url: URL): GmlPage {
  const start = collection.exec(text)
  if (start === null)
    throw exceptionOf(text, url) ?? serviceFailure(`The service answers no feature collection: ${url.href}`)
  const [tag, name = '', closed] = start
  const matched = /\snumberMatched="(\d+)"/.exec(tag)?.[1]
  const head = text.slice(0, start.index) + tag
  const known = matched === undefined ? undefined : Number(matched)
  if (closed === '/') return { head, members: '', tail: '', rows: 0, ids: [], matched: known }
  const tail = `</${name}>`
  const end = text.lastIndexOf(tail)
  if (end < 0) throw serviceFailure(`The answer of the service is cut off: ${url.href}`)
  const inner = text.slice(start.index + tag.length, end)
  const first = inner.search(memberStart)
  const before = first < 0 ? '' : inner.slice(0, first).replace(bounds, '')
  const members = first < 0 ? '' : before + inner.slice(first)
  const ids = idsOf(members)
  const returned = /\s(?:numberReturned|numberOfFeatures)="(\d+)"/.exec(tag)?.[1]
  const rows = ids.length
  if (returned !== undefined && Number(returned) !== rows)
    throw invalid('wrong-count', `A page of the service states ${returned} features and has ${rows}`)
  return { head, members, tail, rows, ids, matched: known }
}

/** Ids of the features: elements in a member, which one `featureMembers` has several of. */
function idsOf(members: string): string[] {
  const parts = members.split(memberStart).slice(1)
  return parts.flatMap((part) => {
    const first = featureId.exec(part)
    const element = /<([\w.:-]+)/.exec(part)?.[1]
    if (element === undefined) return []
    if (first === null)
      throw serviceFailure('The features of the service have no ids, by which pages are checked')
    const each = new RegExp(`<${element.replaceAll('.', '\\.')}\\s[^>]*?(?:gml:id|fid)="([^"]*)"`, 'g')
    return [...part.matchAll(each)].map(([, id = '']) => id)
  })
}

async function readPages(
  client: ServiceClient,
  file: FeatureFile,
  data: ServiceData,
  wfsVersion: WfsVersion,
  { onRows }: ServiceReadOptions,
): Promise<void> {
  const ids = new SeenIds()
  let stated = await countRows(client, data, wfsVersion)
  let tail: string | undefined
  for (let from = 0; ; ) {
    const url = request(data, wfsVersion, 'GetFeature', {
      [wfsVersion.count]: String(pageSize),
      startIndex: String(from),
    })
    const page = parsePage((await client.page(url)).text, url)
    if (tail === undefined) {
      await file.frame(page.head.replace(/\s*\/>$/, '>'))
      tail = page.tail === '' ? `</${collection.exec(page.head)?.[1] ?? 'FeatureCollection'}>` : page.tail
    }
    for (const id of page.ids) ids.add(id)
    if (page.rows > 0) await file.add(page.members, page.rows)
    onRows?.(file.rows)
    from += page.rows
    stated = page.matched ?? stated
    if (page.rows === 0 || (stated === undefined ? page.rows < pageSize : from >= stated)) break
  }
  await file.frame(`${tail ?? ''}\n`)
  checkCount(file.rows, stated)
}

async function countRows(
  client: ServiceClient,
  data: ServiceData,
  wfsVersion: WfsVersion,
): Promise<number | undefined> {
  const url = request(data, wfsVersion, 'GetFeature', { resultType: 'hits' })
  const text = await client.describe(url)
  const [tag = ''] = collection.exec(text) ?? []
  const number = /\s(?:numberMatched|numberOfFeatures)="(\d+)"/.exec(tag)?.[1]
  return number === undefined ? undefined : Number(number)
}
