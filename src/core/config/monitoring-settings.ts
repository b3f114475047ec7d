import { resolve } from 'node:path'
import type { Secret } from '../secrets/secret.ts'
import { isZone } from '../values/zone-days.ts'
import type { MapServerSettings } from './map-servers.ts'
import { readMapServers } from './map-servers.ts'
import type { Reader } from './parse.ts'
import { readNetworks } from './parse.ts'

const privacyModes = ['truncated', 'full', 'none'] as const
/** Storage of client addresses: truncated to their network, complete, or none. */
export type PrivacyMode = (typeof privacyModes)[number]

export interface Retention {
  minuteDays: number
  hourDays: number
  dayDays: number
  requestDays: number
  exceptionDays: number
  /** 0 for no limit. */
  maxBytes: number
}

export interface SeriesLimits {
  /** Maximum number of labels per period, metric and split. */
  labels: number
  /** The same for `request.users`. */
  visitors: number
  /** Maximum number of resources per minute and service; twenty times as many in total. */
  resources: number
  /** IANA time zone whose days are used for usage counts; default: UTC. */
  zone?: string
  /** Cells of zoom level 8 for the demand of a layer and day; default: 128. */
  demandCells?: number
}

export interface MonitoringSettings {
  isOn: boolean
  privacy: PrivacyMode
  /** Monitored map servers next to this server. */
  mapServers: MapServerSettings[]
  /** Address of the mail server, such as smtp://user:password@mail.example.org:587; absent: no mail. */
  smtpUrl?: Secret
  /** Absent: `terrane@` and the host name. */
  mailFrom?: string
  /** Path of an MMDB file with locations of addresses. */
  placesFile?: string
  /** Addresses and networks of the operator. */
  ownNetworks?: string[]
  keep: Retention
  limits: SeriesLimits
  /** Maximum number of rows in a response with metric data, and of entries in a list. */
  maxAnswerRows: number
}

/** Greater than the number of periods of any window, so that one row per period is always permitted. */
const minAnswerRows = 20_000

export function readMonitoring(read: Reader): MonitoringSettings {
  const smtpUrl = readSmtpUrl(read)
  const mailFrom = read.text('TERRANE_MAIL_FROM', { default: '`terrane@` and the host' })
  const placesFile = read.text('TERRANE_PLACES', { type: 'path' })
  const zone = readZone(read)
  const ownNetworks = readNetworks(read, 'TERRANE_OWN_NETWORKS')
  const labels = { min: 1, max: 100_000 }
  return {
    isOn: read.flag('TERRANE_MONITORING', true),
    privacy: read.choice('TERRANE_PRIVACY', privacyModes, 'truncated'),
    mapServers: readMapServers(read),
    smtpUrl,
    mailFrom,
    placesFile: placesFile === undefined ? undefined : resolve(placesFile),
    ownNetworks: ownNetworks.length === 0 ? undefined : ownNetworks,
    keep: readKeep(read),
    maxAnswerRows: read.integer('TERRANE_MAX_METRIC_ROWS', {
      unit: 'rows',
      fallback: 2_000_000,
      min: minAnswerRows,
      max: 1e9,
    }),
    limits: {
      labels: read.integer('TERRANE_MAX_LABELS', { unit: 'labels', fallback: 100, ...labels }),
      visitors: read.integer('TERRANE_MAX_VISITORS', { unit: 'labels', fallback: 10_000, ...labels }),
      resources: read.integer('TERRANE_MAX_RESOURCES', {
        unit: 'resources',
        fallback: 500,
        min: 1,
        max: 10_000,
      }),
      demandCells: read.integer('TERRANE_MAX_DEMAND_CELLS', {
        unit: 'cells',
        fallback: 128,
        min: 0,
        max: 65_536,
      }),
      zone,
    },
  }
}

/** Reads retention periods in days; 0 means unlimited. */
function readKeep(read: Reader): MonitoringSettings['keep'] {
  const days = { min: 0, max: 36_500 }
  return {
    minuteDays: read.integer('TERRANE_KEEP_MINUTES', { unit: 'days', fallback: 7, ...days }),
    hourDays: read.integer('TERRANE_KEEP_HOURS', { unit: 'days', fallback: 90, ...days }),
    dayDays: read.integer('TERRANE_KEEP_DAYS', { unit: 'days', fallback: 3 * 365, ...days }),
    requestDays: read.integer('TERRANE_KEEP_REQUESTS', { unit: 'days', fallback: 14, ...days }),
    exceptionDays: read.integer('TERRANE_KEEP_EXCEPTIONS', { unit: 'days', fallback: 90, ...days }),
    maxBytes: read.bytes('TERRANE_MAX_MONITORING', 20 * 2 ** 30),
  }
}

function readZone(read: Reader): string | undefined {
  const zone = read.text('TERRANE_ZONE', { default: 'UTC' })
  if (zone === undefined || isZone(zone)) return zone
  read.problem('TERRANE_ZONE', `must be the IANA name of a time zone such as Europe/Berlin, found "${zone}"`)
  return undefined
}

function readSmtpUrl(read: Reader): Secret | undefined {
  const secret = read.secret('TERRANE_SMTP_URL', { default: 'none: no mail is sent' })
  const value = secret?.reveal()
  if (value === undefined || (/^smtps?:\/\/[^/]/.test(value) && URL.canParse(value))) return secret
  read.problem('TERRANE_SMTP_URL', 'must be an address such as smtp://user:password@mail.example.org:587')
  return undefined
}
