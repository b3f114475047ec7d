import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { MapServerSettings } from '../../core/config/map-servers.ts'
import { FieldFailure } from '../../core/errors/errors.ts'
import type { HostRecord, ServiceSource } from '../model/records.ts'
import type { ServiceType } from '../model/service-types.ts'
import type { Services } from './services.ts'

const lookupMs = 5_000
const defaultIntervalSeconds = 60
const ownAddress = '127.0.0.1'
const everyAddress = ['0.0.0.0', '::']

/** Dependencies and settings. */
export interface AutoconfigureDeps {
  services: Services
  /** This server's base address. */
  baseUrl: string
  mapServers: readonly MapServerSettings[]
}

interface ExpectedService {
  name: string
  type: ServiceType
  url: string
  source: ServiceSource
}

interface ExpectedHost {
  name: string
  services: ExpectedService[]
}

/**
 * Creates the hosts and services of this server and of the map servers in the settings, unless their names
 * exist. Does not change existing ones.
 */
export async function autoconfigure({ services, baseUrl, mapServers }: AutoconfigureDeps): Promise<void> {
  const expectedHosts = [ownHost(baseUrl), ...mapServers.map(hostOf)]
  const addresses = await Promise.all(expectedHosts.map(({ name }) => addressOf(name)))
  for (const [index, host] of expectedHosts.entries()) {
    const { id } = await ensureHost(services, { name: host.name, ip: addresses[index] ?? ownAddress })
    for (const one of host.services) await ensureService(services, id, one)
  }
}

/** Does the same at the first start: only if there are no services. */
export async function configureFirst(deps: AutoconfigureDeps): Promise<void> {
  if ((await deps.services.list()).length === 0) await autoconfigure(deps)
}

function ownHost(baseUrl: string): ExpectedHost {
  const name = hostName(baseUrl)
  const source = { kind: 'own' } as const
  return {
    name,
    services: [
      { name: `${name}-app`, type: 'app', url: baseUrl, source },
      { name: `${name}-hostapp`, type: 'hostapp', url: baseUrl, source },
      { name: `${name}-mapserver`, type: 'mapserver', url: `${baseUrl}/ogc`, source },
    ],
  }
}

function hostOf(server: MapServerSettings): ExpectedHost {
  const { name, url } = server
  const expectedServices: ExpectedService[] = []
  const [source, hostSource] = [sourceOf(server), hostSourceOf(server)]
  if (source !== undefined)
    expectedServices.push({ name: `${name}-mapserver`, type: 'mapserver', url, source })
  if (hostSource !== undefined)
    expectedServices.push({ name: `${name}-hostmapserver`, type: 'hostmapserver', url, source: hostSource })
  return { name: hostName(url), services: expectedServices }
}

function sourceOf(server: MapServerSettings): ServiceSource | undefined {
  if (server.log !== undefined) return { kind: 'log', path: server.log }
  return server.kind === 'geoserver'
    ? { kind: 'geoserver-monitor', url: server.url, ...credentialsOf(server) }
    : undefined
}

function hostSourceOf(server: MapServerSettings): ServiceSource | undefined {
  if (server.hostMetrics !== undefined) return { kind: 'node-exporter', url: server.hostMetrics }
  return server.kind === 'geoserver'
    ? { kind: 'geoserver-status', url: server.url, ...credentialsOf(server) }
    : undefined
}

function credentialsOf({ user, password }: MapServerSettings): Pick<MapServerSettings, 'user' | 'password'> {
  return { user, password }
}

/**
 * Returns the display name of an address's host: `localhost` for this machine, the machine's name if the
 * server listens on all addresses.
 */
function hostName(url: string): string {
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (everyAddress.includes(name)) return hostname()
  return name === ownAddress || name === '::1' ? 'localhost' : name
}

async function addressOf(name: string): Promise<string> {
  if (isIP(name) !== 0) return name
  const timeLimit = new Promise<string>((resolve) => setTimeout(resolve, lookupMs, ownAddress).unref())
  const found = lookup(name, { order: 'ipv4first' }).then(
    ({ address }) => address,
    () => ownAddress,
  )
  return Promise.race([found, timeLimit])
}

async function ensureHost(services: Services, host: Omit<HostRecord, 'id'>): Promise<HostRecord> {
  const known = await services.findHostNamed(host.name)
  if (known !== undefined) return known
  return unlessTaken(
    () => services.createHost(host),
    () => services.findHostNamed(host.name),
  )
}

async function ensureService(
  services: Services,
  hostId: number,
  expectedService: ExpectedService,
): Promise<void> {
  if ((await services.find(expectedService.name)) !== undefined) return
  const values = {
    ...expectedService,
    hostId,
    notes: '',
    isActive: true,
    checkIntervalSeconds: defaultIntervalSeconds,
  }
  await unlessTaken(
    () => services.create(values),
    () => services.find(expectedService.name),
  )
}

/** Creates a record; if another process creates it at the same time, returns theirs. */
async function unlessTaken<T>(make: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
  try {
    return await make()
  } catch (error) {
    const isTaken = error instanceof FieldFailure && error.code === 'exists-already'
    const found = isTaken ? await find() : undefined
    if (found === undefined) throw error
    return found
  }
}
