import type { Secret } from '../../core/secrets/secret.ts'
import type { ServiceType } from './service-types.ts'

/** Impact of a problem, mildest first. */
export const severities = ['warning', 'error', 'fatal'] as const
export type Severity = (typeof severities)[number]

/** A host that runs services; the host itself is not polled. */
export interface HostRecord {
  id: number
  name: string
  ip: string
}

/** Source of a service's data. */
export type ServiceSource =
  /** This server's own requests, or the machine that it runs on. */
  | { kind: 'own' }
  /** An access log in NCSA's combined format; `path` is absolute. */
  | { kind: 'log'; path: string }
  /** A GeoServer with the monitor extension; `url` is its base, such as https://maps.example.org/geoserver. */
  | { kind: 'geoserver-monitor'; url: string; user?: string; password?: Secret }
  /** A Prometheus node exporter; `url` is the URL of its metrics, such as http://10.0.0.5:9100/metrics. */
  | { kind: 'node-exporter'; url: string; user?: string; password?: Secret }
  | { kind: 'geoserver-status'; url: string; user?: string; password?: Secret }

export const sourceKinds = ['own', 'log', 'geoserver-monitor', 'node-exporter', 'geoserver-status'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** Possible sources by type of service. */
export const sourceKindsOf: Record<ServiceType, readonly SourceKind[]> = {
  app: ['own'],
  mapserver: ['own', 'log', 'geoserver-monitor'],
  hostapp: ['own', 'node-exporter'],
  hostmapserver: ['own', 'node-exporter', 'geoserver-status'],
}

/** Default sources; other types require an explicit source. */
export const usualSources: Partial<Record<ServiceType, ServiceSource>> = {
  app: { kind: 'own' },
  hostapp: { kind: 'own' },
}

export interface ServiceRecord {
  id: number
  name: string
  type: ServiceType
  hostId: number
  hostName: string
  /** Public URL; empty if unknown. */
  url: string
  notes: string
  isActive: boolean
  checkIntervalSeconds: number
  /** Time of the last successful collection, ISO 8601. */
  lastCheck?: string
  source: ServiceSource
}

/** Stored fields of a service, without those derived from its host. */
export type ServiceValues = Omit<ServiceRecord, 'id' | 'hostName' | 'lastCheck'>
