import { isIPv6 } from 'node:net'
import type { ServerSettings } from './settings.ts'

/**
 * Returns the URL of the base path, according to the settings: the public address, else the listening
 * address.
 */
export function baseUrl({ publicUrl, host, port, basePath }: ServerSettings): string {
  return publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`
}
