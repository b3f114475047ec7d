import { isIPv6 } from 'node:net'
import type { ServerSettings } from './settings.ts'

/** Where clients reach the base path, as far as the settings say: the public address, else the one listened at. */
export function baseUrl({ publicUrl, host, port, basePath }: ServerSettings): string {
  return publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`
}
