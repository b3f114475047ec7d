import { isAbsolute } from 'node:path'
import { Secret } from '../secrets/secret.ts'
import type { Reader } from './parse.ts'

const setting = 'TERRANE_MAP_SERVERS'
const maxServers = 100

const mapServerKinds = ['mapserver', 'qgis', 'geoserver'] as const
export type MapServerKind = (typeof mapServerKinds)[number]

/** A monitored map server next to this server. */
export interface MapServerSettings {
  name: string
  kind: MapServerKind
  /** Its base URL, without a trailing slash. */
  url: string
  /** Absolute path of its access log. */
  log?: string
  /** For a GeoServer's REST interface. */
  user?: string
  password?: Secret
  /** Address of the metrics of a node exporter on its host. */
  hostMetrics?: string
}

/** Reports one problem of one server. */
type Tell = (message: string) => void
type Entry = Record<string, unknown>

const keys = ['name', 'kind', 'url', 'log', 'user', 'password', 'hostMetrics']

/** Reads servers from a JSON list; error messages do not contain the values, which may be passwords. */
export function readMapServers(read: Reader): MapServerSettings[] {
  const text = read.text(setting, { type: 'JSON' })
  if (text === undefined) return []
  const list = parseList(text)
  if (list === undefined) {
    read.problem(setting, 'must be a JSON list such as [{"name": "maps", "kind": "mapserver", ...}]')
    return []
  }
  if (list.length > maxServers) {
    read.problem(setting, `has ${list.length} map servers, at most ${maxServers} are watched`)
    return []
  }
  const servers = list.map((one, index) =>
    readServer(one, (message) => read.problem(setting, `entry ${index + 1} ${message}`)),
  )
  tellRepeatedNames(servers, read)
  return servers
}

function parseList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function readServer(value: unknown, tell: Tell): MapServerSettings {
  const isEntry = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isEntry) tell('must be an object')
  const entry: Entry = isEntry ? { ...value } : {}
  for (const key of Object.keys(entry)) if (!keys.includes(key)) tell(`has the unknown key "${key}"`)
  const [log, user] = [readLog(entry, tell), readText(entry, 'user', tell)]
  const [password, hostMetrics] = [readText(entry, 'password', tell), readUrl(entry, 'hostMetrics', tell)]
  const server: MapServerSettings = {
    name: readName(entry, tell),
    kind: readKind(entry, tell),
    url: readUrl(entry, 'url', tell) ?? '',
    log,
    user,
    password: password === undefined ? undefined : new Secret(password),
    hostMetrics,
  }
  if (isEntry) tellMissing(server, entry, tell)
  return server
}

function tellMissing(server: MapServerSettings, entry: Entry, tell: Tell): void {
  for (const key of ['name', 'kind', 'url']) if (entry[key] == null) tell(`needs "${key}"`)
  if (server.password !== undefined && server.user === undefined) tell('has a "password" without a "user"')
  const isSilent = server.kind !== 'geoserver' && entry.log == null && entry.hostMetrics == null
  if (isSilent) tell('needs "log", the path of its access log')
}

function readText(entry: Entry, key: string, tell: Tell): string | undefined {
  const value = entry[key]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && !value.includes('\0')) return value
  tell(`must have text as "${key}"`)
  return undefined
}

function readName(entry: Entry, tell: Tell): string {
  const name = readText(entry, 'name', tell) ?? ''
  if (name !== '' && !/^[\p{L}\p{N}_][\p{L}\p{M}\p{N} _.-]{0,99}$/u.test(name))
    tell('must have a "name" of letters, digits, ".", "-" and "_"')
  return name
}

function readKind(entry: Entry, tell: Tell): MapServerKind {
  const text = readText(entry, 'kind', tell)
  const kind = mapServerKinds.find((one) => one === text?.toLowerCase())
  if (kind === undefined && text !== undefined)
    tell(`must have one of ${mapServerKinds.join(', ')} as "kind"`)
  return kind ?? 'mapserver'
}

function readLog(entry: Entry, tell: Tell): string | undefined {
  const path = readText(entry, 'log', tell)
  if (path === undefined || isAbsolute(path)) return path
  tell('must have an absolute path as "log"')
  return undefined
}

function readUrl(entry: Entry, key: string, tell: Tell): string | undefined {
  const text = readText(entry, key, tell)
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return text.replace(/\/+$/, '')
  tell(`must have an http or https address without user and password as "${key}"`)
  return undefined
}

function tellRepeatedNames(servers: MapServerSettings[], read: Reader): void {
  const names = servers.map(({ name }) => name)
  const repeated = new Set(names.filter((name, index) => name !== '' && names.indexOf(name) !== index))
  for (const name of repeated) read.problem(setting, `names "${name}" more than once`)
}
