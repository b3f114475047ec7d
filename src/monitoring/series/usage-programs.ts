/** Programs without a user interface: libraries, command line tools and other servers. */
const scripts = new Set([
  'curl',
  'Wget',
  'python-requests',
  'python-httpx',
  'Python urllib',
  'aiohttp',
  'OWSLib',
  'GDAL',
  'Apache HttpClient',
  'okhttp',
  'Go http client',
  'Java',
  'axios',
  'undici',
  'Postman',
  'Terrane',
  'GeoServer',
  'GeoWebCache',
  'GeoTools',
  'MapProxy',
  'MapServer',
  'FME',
])

/**
 * Returns the program of a family such as `PC / Windows / QGIS 3.22`, without its version; null without a
 * user agent.
 */
export function programOf(family: string | null | undefined): string | null {
  if (family == null) return null
  return (family.split(' / ').at(-1) ?? family).replace(/ \d+(\.\d+)*$/, '')
}

/** True if a family is that of a script, for COUNTER's access method `machine`. */
export function isScript(family: string | null): boolean {
  const program = programOf(family)
  return program !== null && scripts.has(program)
}
