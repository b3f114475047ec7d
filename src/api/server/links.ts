import { isIPv6 } from 'node:net'
import type { ServerSettings } from '../../core/config/settings.ts'
import type { FastifyRequest } from '../app-types.ts'

const hostName = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Scheme and host that clients see, without a slash behind; `X-Forwarded-*` only from trusted proxies. */
export function originOf(request: FastifyRequest, settings: ServerSettings): string {
  if (settings.publicUrl !== undefined) return new URL(settings.publicUrl).origin
  const host = hostName.test(request.host) ? request.host : `${settings.host}:${settings.port}`
  const protocol = request.protocol === 'https' ? 'https' : 'http'
  return `${protocol}://${host}`
}

/**
 * True if links contain a host known only from the client: without `TERRANE_PUBLIC_URL`, and without a
 * trusted proxy that sends `X-Forwarded-For` and `X-Forwarded-Host`.
 */
export function isHostFromClient(request: FastifyRequest, settings: ServerSettings): boolean {
  if (settings.publicUrl !== undefined) return false
  const isForwarded = (request.ips?.length ?? 0) > 1
  return !(isForwarded && request.headers['x-forwarded-host'] !== undefined)
}

/** Absolute link to a path below the base path. */
export function absoluteLink(request: FastifyRequest, settings: ServerSettings, path: string): string {
  const base = settings.publicUrl ?? `${originOf(request, settings)}${settings.basePath}`
  return base + path
}

/**
 * Returns the URL of the base path, according to the settings: the public address, else the listening
 * address.
 */
export function baseUrl({ publicUrl, host, port, basePath }: ServerSettings): string {
  return publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`
}
