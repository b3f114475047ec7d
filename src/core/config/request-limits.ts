import { availableParallelism } from 'node:os'
import type { Reader } from './parse.ts'

/** Limits on the requests of one client connection and of one client address. */
export interface ConnectionLimits {
  /** Maximum number of pending requests of a connection; further ones are not read. */
  pipelinedRequests: number
  /** Maximum number of concurrent requests of one client address; the rest wait. */
  addressRequests: number
  /**
   * Maximum response bytes that clients of one address have not received yet; beyond it the next requests
   * wait.
   */
  addressUnsentBytes: number
  /** A connection is closed if its client reads nothing of a response for this long. */
  unreadSeconds: number
  work: HeavyWorkLimits
}

/** Seconds of heavy work per hour; 0: not limited. */
export interface HeavyWorkLimits {
  /** Of one address without a login. */
  addressSeconds: number
  /** Of one user. */
  userSeconds: number
}

/** Limits on XML bodies and filters of requests. */
export interface DocumentLimits {
  /** Size of an XML body or of a form. */
  bodyBytes: number
  elements: number
  /** Attributes of one element. */
  attributes: number
  depth: number
  /** `Query` elements of a WFS request. */
  queries: number
  /** Operators, values and names of one filter. */
  filterNodes: number
  /** Positions of all geometries of one filter. */
  coordinates: number
}

/** Reads the settings that limit what one client may send and occupy. */
export function readConnectionLimits(read: Reader): ConnectionLimits {
  const count = { max: 1_000_000 }
  return {
    pipelinedRequests: read.integer('TERRANE_MAX_PIPELINED', {
      unit: 'requests',
      fallback: 1000,
      min: 2,
      ...count,
    }),
    addressRequests: read.integer('TERRANE_MAX_ADDRESS_REQUESTS', {
      unit: 'requests',
      fallback: 128,
      min: 1,
      ...count,
    }),
    addressUnsentBytes: read.bytes('TERRANE_MAX_ADDRESS_UNSENT', 64 * 2 ** 20),
    unreadSeconds: read.integer('TERRANE_MAX_UNREAD', { unit: 'seconds', fallback: 60, min: 1, max: 86_400 }),
    work: readHeavyWorkLimits(read),
  }
}

/**
 * Default per processor: one address may use half of the processors permanently, a user four times as much.
 */
const secondsPerProcessor = 1800
const shareOfUser = 4

/** Reads the settings that limit the heavy work of one client. */
function readHeavyWorkLimits(read: Reader): HeavyWorkLimits {
  const ofAddress = secondsPerProcessor * availableParallelism()
  const hourly = { unit: 'seconds per hour', min: 0, max: 100_000_000 }
  return {
    addressSeconds: read.integer('TERRANE_MAX_ADDRESS_WORK', {
      ...hourly,
      fallback: ofAddress,
      default: `${secondsPerProcessor} for each processor`,
    }),
    userSeconds: read.integer('TERRANE_MAX_USER_WORK', {
      ...hourly,
      fallback: ofAddress * shareOfUser,
      default: `${secondsPerProcessor * shareOfUser} for each processor`,
    }),
  }
}

/** Reads the settings that limit the documents of requests. */
export function readDocumentLimits(read: Reader): DocumentLimits {
  const count = { min: 1, max: 1e9 }
  return {
    bodyBytes: read.bytes('TERRANE_MAX_XML_BODY', 5 * 2 ** 20),
    elements: read.integer('TERRANE_MAX_XML_ELEMENTS', { unit: 'elements', fallback: 10_000, ...count }),
    attributes: read.integer('TERRANE_MAX_XML_ATTRIBUTES', { unit: 'attributes', fallback: 200, ...count }),
    depth: read.integer('TERRANE_MAX_XML_DEPTH', { unit: 'levels', fallback: 100, min: 1, max: 1000 }),
    queries: read.integer('TERRANE_MAX_QUERIES', { unit: 'queries', fallback: 100, ...count }),
    filterNodes: read.integer('TERRANE_MAX_FILTER_NODES', { unit: 'nodes', fallback: 5000, ...count }),
    coordinates: read.integer('TERRANE_MAX_FILTER_COORDINATES', {
      unit: 'positions',
      fallback: 200_000,
      ...count,
    }),
  }
}
