import { hash } from 'node:crypto'
import type { BlockList } from 'node:net'
import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import type { PrivacyMode } from '../../../core/config/monitoring-settings.ts'
import { has, networkSet } from '../../../core/network/addresses.ts'
import type { RequestEvent, UsedResource } from '../../series/request-event.ts'
import { anonymousUser } from '../../series/request-event.ts'
import type { Address } from './address.ts'
import { parseAddress, storedAddress } from './address.ts'
import type { AddressLookup } from './address-lookup.ts'
import { nowhere } from './address-lookup.ts'
import { isServiceException, serviceException } from './ogc-exception.ts'
import type { Classifier, RawRequest } from './raw-request.ts'
import type { Salts } from './salts.ts'
import { saltDay } from './salts.ts'
import { boundedText, scrubText, withoutAddress } from './scrub.ts'
import type { UsageFacts } from './usage-facts.ts'
import { usageFacts } from './usage-facts.ts'
import { classifyUserAgent, robotDevice } from './user-agent.ts'

export interface ClassifierDeps {
  privacy: PrivacyMode
  places: AddressLookup
  /** Addresses and networks of the operator. */
  ownNetworks?: readonly string[]
  salts: Salts
  /** Milliseconds since 1970. */
  now(): number
}

const maxLengths = { method: 20, path: 2000, host: 255, contentType: 255, userAgent: 1000, name: 255 }
const cacheSize = 20_000
const maxStatus = 999
const referrers = new BoundedCache<string, string | null>(cacheSize)

/** Converts requests to events that contain only data that may be stored. */
export function createClassifier({
  privacy,
  places,
  ownNetworks = [],
  salts,
  now,
}: ClassifierDeps): Classifier {
  const clients = new BoundedCache<string, Client>(cacheSize)
  const visitors = new BoundedCache<string, string>(cacheSize)
  const own = networkSet(ownNetworks)
  const findClient = (text: string): Client => describeClient(text, { privacy, places, own })
  return {
    classify: async (requests) => {
      const known = await salts.of(new Set(requests.map(({ created }) => saltDay(created))), now())
      const events: RequestEvent[] = []
      for (const request of requests) {
        const client = request.clientIp === undefined ? unknown : clients.get(request.clientIp, findClient)
        const visitor = visitorKey(request, client, known.get(saltDay(request.created)) ?? '')
        const label = visitor === undefined ? null : visitors.get(visitor, digest)
        const facts = usageFacts(request)
        events.push(toEvent(request, client, label, facts instanceof Promise ? await facts : facts))
      }
      return events
    },
    scrub: (text) => scrubText(text, privacy),
  }
}

interface Client {
  /** Address text of the source; undefined if it is not an address. */
  written: string | undefined
  address: Address | undefined
  kept: string | null
  place: typeof nowhere
  network: 'own' | 'others' | null
}

const unknown: Client = { written: undefined, address: undefined, kept: null, place: nowhere, network: null }

function describeClient(
  text: string,
  { privacy, places, own }: { privacy: PrivacyMode; places: AddressLookup; own: BlockList },
): Client {
  const address = parseAddress(text)
  if (address === undefined) return unknown
  const network = has(own, address.text) ? 'own' : 'others'
  return {
    written: text,
    address,
    kept: storedAddress(address, privacy),
    place: places.find(address),
    network,
  }
}

/**
 * Returns the key that identifies a visitor: the session, otherwise address, program and user name on that
 * day.
 */
function visitorKey(request: RawRequest, { address }: Client, salt: string): string | undefined {
  const { session, userName, userAgent } = request
  if (session !== undefined) return `session\n${session}`
  if (address === undefined && userName === undefined) return undefined
  return `${salt}\n${address?.text ?? ''}\n${userName ?? ''}\n${userAgent ?? ''}`
}

function digest(text: string): string {
  return hash('sha256', text)
}

/** Lists every field explicitly: spreading objects takes several times as long. */
function toEvent(
  request: RawRequest,
  client: Client,
  visitor: string | null,
  { usageClass, area }: UsageFacts,
): RequestEvent {
  const reported = (text: string, maxLength: number): string => cut(text, maxLength, client)
  const { contentType, userAgent, userName } = request
  const errorType = request.errorType ?? (isServiceException(request) ? serviceException : undefined)
  const family = userAgent === undefined ? null : classifyUserAgent(userAgent)
  const place = request.place === undefined ? client.place : { ...client.place, ...request.place }
  return {
    serviceId: request.serviceId,
    created: Math.floor(request.created),
    eventType: request.eventType,
    method: boundedText(request.method, maxLengths.method),
    path: reported(withoutQuery(request.path), maxLengths.path),
    host: reported(request.host, maxLengths.host),
    status: Math.trunc(amount(request.status, maxStatus)),
    sizeBytes: Math.trunc(amount(request.sizeBytes, Number.MAX_SAFE_INTEGER)),
    milliseconds: duration(request.milliseconds),
    firstByteMilliseconds: duration(request.firstByteMilliseconds),
    contentType: contentType === undefined ? null : reported(contentType, maxLengths.contentType),
    userAgent: userAgent === undefined ? null : reported(userAgent, maxLengths.userAgent),
    userAgentFamily: family,
    clientIp: client.kept,
    country: place.country,
    region: place.region,
    city: place.city,
    latitude: place.latitude,
    longitude: place.longitude,
    visitor,
    userName: visitor === null ? null : boundedText(userName ?? anonymousUser, maxLengths.name),
    resources: request.resources.length === 0 ? [] : request.resources.map((one) => cutResource(one, client)),
    errorType: errorType === undefined ? null : boundedText(errorType, maxLengths.name),
    referrer: cutReferrer(request.referer, client),
    kind: family === null ? null : family.startsWith(`${robotDevice} /`) ? 'robots' : 'people',
    network: client.network,
    isCountedOnly: request.isCountedOnly || undefined,
    usageClass,
    area,
  }
}

function cutReferrer(referer: string | undefined, client: Client): string | null {
  const host = referer === undefined ? null : referrers.get(referer.slice(0, maxLengths.path), hostOf)
  return host === null ? null : cut(host, maxLengths.host, client)
}

/** Returns the host of a referring page; null if it is not an HTTP address. */
function hostOf(address: string): string | null {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return null
  return new URL(address).hostname.replace(/\.$/, '')
}

function cutResource({ type, name, owner }: UsedResource, client: Client): UsedResource {
  const resource: UsedResource = { type, name: cut(name, maxLengths.name, client) }
  return owner === undefined ? resource : { ...resource, owner: boundedText(owner, maxLengths.name) }
}

/**
 * Returns a text of the client in the form that may be stored: truncated, and without the client's address.
 */
function cut(text: string, maxLength: number, { written, address, kept }: Client): string {
  const short = boundedText(text, maxLength)
  if (written === undefined || address === undefined || kept === address.text) return short
  const plain = withoutAddress(short, address.text, kept)
  return written === address.text ? plain : withoutAddress(plain, written, kept)
}

function withoutQuery(path: string): string {
  const end = path.search(/[?#]/)
  return end < 0 ? path : path.slice(0, end)
}

function duration(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : amount(milliseconds, Number.MAX_SAFE_INTEGER)
}

function amount(value: number, max: number): number {
  return value > 0 ? Math.min(value, max) : 0
}
