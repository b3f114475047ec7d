import { hostname } from 'node:os'
import { FetchFailure, fetchText } from '../../../core/network/fetch-text.ts'
import type { HostReading } from '../../metrics/hosts/host-reading.ts'
import { isHostType } from '../../model/service-types.ts'
import type {
  CollectedService,
  CollectedSource,
  CollectorDeps,
  CollectReport,
  ServiceCollector,
} from '../service-collector.ts'
import { readNodeExporter } from './read-node-exporter.ts'
import { readSystemStatus } from './read-system-status.ts'
import { openThisHost } from './read-this-host.ts'
import { countersOf, parseCounters, toSamples } from './to-samples.ts'

const timeoutMs = 10_000
const maxBytes = 16 * 2 ** 20

interface HostReader {
  /** Identity of the machine; another machine has other counters. */
  identity: string
  read(signal: AbortSignal): Promise<HostReading>
}

/**
 * Creates the collector of a host: this machine, or another one by its HTTP endpoint. Undefined for a source
 * without host data.
 */
export function createHostCollector(
  service: CollectedService,
  { writer }: Pick<CollectorDeps, 'writer'>,
): ServiceCollector | undefined {
  if (!isHostType(service.type)) return undefined
  const reader = readerOf(service.source)
  return reader === undefined ? undefined : collectorOf(service.id, reader, writer)
}

function collectorOf(
  serviceId: number,
  reader: HostReader,
  writer: CollectorDeps['writer'],
): ServiceCollector {
  const source = `host:${serviceId}:${reader.identity}`
  return {
    async collect(now, signal): Promise<CollectReport> {
      const from = await writer.cursor(source)
      const reading = await reader.read(signal)
      const samples = toSamples(reading, parseCounters(from), { serviceId, now })
      const to = JSON.stringify(countersOf(reading, now))
      // If another server has read the host meanwhile, the next poll continues from there.
      await writer.append({ samples, cursor: { source, from, to } })
      return {}
    },
    close: async () => undefined,
  }
}

function readerOf(source: CollectedSource): HostReader | undefined {
  if (source.kind === 'own') {
    return { identity: hostname(), read: openThisHost() }
  }
  if (source.kind === 'node-exporter') {
    return webReader(source, source.url, 'text/plain;version=0.0.4', readNodeExporter)
  }
  if (source.kind === 'geoserver-status') {
    return webReader(source, statusUrl(source.url), 'application/json', readSystemStatus)
  }
  return undefined
}

interface WebSource {
  url: string
  user?: string
  password?: string
}

function webReader(
  { user, password }: WebSource,
  url: string,
  accept: string,
  parse: (text: string) => HostReading,
): HostReader {
  const shownUrl = withoutCredentials(url)
  return {
    identity: shownUrl,
    read: async (signal) => {
      const text = await fetchText(url, { accept, timeoutMs, maxBytes, signal, user, password })
      try {
        return parse(text)
      } catch (error) {
        throw new FetchFailure(`${shownUrl}: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  }
}

/** Returns the URL of the status; the configured address may be that of the GeoServer or of the status. */
function statusUrl(address: string): string {
  const base = address.replace(/\/+$/, '')
  return /\/rest\/about\/system-status(\.json)?$/.test(base) ? base : `${base}/rest/about/system-status.json`
}

function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return ''
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}
