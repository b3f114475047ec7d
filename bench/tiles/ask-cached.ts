import { Agent, get } from 'node:http'
import { loadRequests } from '../request-load.ts'
import type { BenchServer } from '../server.ts'
import { askOnce } from './ask-tiles.ts'

const connections = 32
const gzip = { 'accept-encoding': 'gzip' }
const seconds = 5
/** Warm-up time: V8 compiles the code of a server that has just started step by step. */
const warmSeconds = 5

/** Requests a second, and milliseconds of the median and of the 99th of a hundred. */
export interface CachedResult {
  name: string
  perSecond: number
  p50: number
  p99: number
  /**
   * Processor time of the server per request, over all its threads; absent if the server does other work
   * meanwhile.
   */
  processorMicroseconds?: number
  failed: number
}

interface CachedLayer {
  server: Pick<BenchServer, 'url' | 'processorMilliseconds'>
  layer: string
  /** URLs that no client has requested yet. */
  tiles: string[]
}

/**
 * Measures repeated requests for one tile, with and without its ETag, compared with `/health`; and other
 * requests, alone and during many parallel requests.
 */
export async function askCached({ server, layer, tiles }: CachedLayer): Promise<CachedResult[]> {
  const { url } = server
  const [tile = '', ...others] = tiles
  const etag = await etagOf(tile)
  const health = `${url}/health`
  const items = `${url}/ogc/collections/default:${layer}/items?limit=10`
  const load = async (name: string, address: string, own = {}, target = 200): Promise<CachedResult> => {
    const how = { connections, seconds, headers: { ...gzip, ...own }, target }
    await loadRequests(address, { ...how, seconds: warmSeconds })
    const before = server.processorMilliseconds()
    const answer = await loadRequests(address, how)
    const worked = server.processorMilliseconds() - before
    return { name, ...answer, processorMicroseconds: (worked * 1000) / (answer.perSecond * seconds) }
  }
  return [
    await load('/health', health),
    await load('a cached tile', tile),
    await load('the same, 304', tile, { 'if-none-match': etag }, 304),
    await load('10 items', items),
    ...(await besideCrowd({ others, health, items })),
  ]
}

async function besideCrowd({
  others,
  health,
  items,
}: {
  others: string[]
  health: string
  items: string
}): Promise<CachedResult[]> {
  const one = { connections: 1, seconds: 2, headers: gzip }
  const alone = [
    { name: '/health, one connection, alone', ...(await loadRequests(health, one)) },
    { name: '10 items, one connection, alone', ...(await loadRequests(items, one)) },
  ]
  const half = others.length >> 1
  const meanwhile = async (name: string, address: string, urls: string[]): Promise<CachedResult> => {
    const crowd = askOnce(urls, { connections })
    const result = await loadRequests(address, one)
    const { perSecond, failed } = await crowd
    return {
      name: `${name}, while ${perSecond.toFixed(0)} new tiles a second are made`,
      ...result,
      failed: failed + result.failed,
    }
  }
  return [
    ...alone,
    await meanwhile('/health', health, others.slice(0, half)),
    await meanwhile('10 items', items, others.slice(half)),
  ]
}

async function etagOf(url: string): Promise<string> {
  const agent = new Agent()
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: gzip }, (reply) => {
      reply.resume()
      resolve(String(reply.headers.etag ?? ''))
    }).once('error', reject)
  })
}
