import type { FileTarget, OptionValues } from './fetch-generated-file.ts'
import { fetchGeneratedFile, runFileCommand } from './fetch-generated-file.ts'
import type { Environment } from './options.ts'
import { amount } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { listOf, readField, readNumber, readString } from './rest-client.ts'

const command = {
  name: 'download',
  flags: { crs: { type: 'string' }, filter: { type: 'string' }, properties: { type: 'string' } },
  formats: ['gpkg', 'geojson', 'csv', 'shp', 'fgb', 'parquet', 'kml', 'tif'],
  extensions: new Map([
    ['zip', 'shp'],
    ['json', 'geojson'],
    ['tiff', 'tif'],
  ]),
  plan: (values: OptionValues, target: FileTarget) => (client: RestClient) =>
    downloadLayer(client, target, queryOf(values, target)),
} as const
const queryOptions = ['crs', 'bbox', 'filter', 'properties', 'version'] as const

/** `terrane download LAYER --output FILE` */
export function runDownload(args: string[], env: Environment): Promise<number> {
  return runFileCommand(command, args, env)
}

function queryOf(values: OptionValues, { format }: FileTarget): URLSearchParams {
  const query = new URLSearchParams({ f: format })
  for (const key of queryOptions) {
    const value = values[key]
    if (typeof value === 'string') query.set(key, value)
  }
  return query
}

/** Creates the file on the server, downloads it, and deletes it there. */
async function downloadLayer(client: RestClient, { layer, output }: FileTarget, query: URLSearchParams) {
  const whole = layer.includes(':') ? layer : await withWorkspace(client, layer)
  const address = `/ogc/collections/${encodeURIComponent(whole)}/download?${query}`
  const begun = await client.get(address, { prefer: 'respond-async' })
  const { download, sizeBytes } = await fetchGeneratedFile(client, begun, {
    layer: whole,
    output,
    unit: 'rows',
  })
  const rows = amount(readNumber(download, 'progress'), 'rows')
  const losses = listOf(download, 'losses').map((loss) => `  ${String(loss)}`)
  const lost = losses.length === 0 ? [] : ['Not as in the layer:', ...losses]
  return {
    json: { download },
    text: [`${output}: ${amount(sizeBytes, 'bytes')}, ${rows}`, ...lost].join('\n'),
  }
}

/** A name without a workspace refers to the default workspace, which the server knows. */
async function withWorkspace(client: RestClient, name: string): Promise<string> {
  const layer = readField(await client.get(`/rest/layers/${encodeURIComponent(name)}`), 'layer')
  return `${readString(readField(layer, 'workspace'), 'name')}:${name}`
}
