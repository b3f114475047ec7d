import { existsSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { loadSettings } from '../config/settings.ts'
import type { Environment } from './environment.ts'
import { fetchGeneratedFile } from './fetch-generated-file.ts'
import { listOf, readField, readNumber, readString } from './json-views.ts'
import {
  accessFlags,
  jsonFlag,
  readAccess,
  readChoice,
  readFlags,
  refuseMoreWords,
  UsageError,
} from './options.ts'
import { amount } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { withServer } from './server-access.ts'
import { printProgress } from './standard-streams.ts'

const flags = {
  format: { type: 'string', short: 'f' },
  output: { type: 'string', short: 'o' },
  crs: { type: 'string' },
  bbox: { type: 'string' },
  filter: { type: 'string' },
  properties: { type: 'string' },
  version: { type: 'string' },
  workspace: { type: 'string', short: 'w' },
  ...jsonFlag,
  ...accessFlags,
} as const
const formats = ['gpkg', 'geojson', 'csv', 'shp', 'fgb', 'parquet', 'kml', 'tif'] as const
/** File name extensions that differ from the format name. */
const endings = new Map([
  ['zip', 'shp'],
  ['json', 'geojson'],
  ['tiff', 'tif'],
])
const passed = ['crs', 'bbox', 'filter', 'properties', 'version'] as const

interface DownloadPlan {
  layer: string
  output: string
  path: string
}

/** `terrane download LAYER --output FILE` */
export async function runDownload(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags('download', args, flags)
  refuseMoreWords('download', positionals, 1)
  const plan = readPlan(values, positionals[0])
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { answer, text } = await withServer(settings, readAccess(values), env, ({ client }) =>
    downloadLayer(client, plan),
  )
  printProgress(plan.output, values.json ? JSON.stringify(answer, null, 2) : text)
  return 0
}

function readPlan(
  values: Record<string, string | boolean | undefined>,
  name: string | undefined,
): DownloadPlan {
  const { output, format, workspace } = values
  if (name === undefined) throw new UsageError('`terrane download` needs a layer')
  if (typeof output !== 'string') throw new UsageError('`terrane download` needs --output FILE')
  if (!existsSync(dirname(output))) throw new UsageError(`There is no folder "${dirname(output)}"`)
  const ending = extname(output).slice(1).toLowerCase()
  const wanted = typeof format === 'string' ? format : (endings.get(ending) ?? ending)
  const f = readChoice('--format, or the ending of --output,', wanted, formats)
  const layer = typeof workspace !== 'string' || name.includes(':') ? name : `${workspace}:${name}`
  const query = new URLSearchParams({ f })
  for (const key of passed) {
    const value = values[key]
    if (typeof value === 'string') query.set(key, value)
  }
  return { layer, output, path: `/download?${query}` }
}

/** Creates the file on the server, downloads it, and deletes it there. */
async function downloadLayer(client: RestClient, { layer, output, path }: DownloadPlan) {
  const whole = layer.includes(':') ? layer : await withWorkspace(client, layer)
  const address = `/ogc/collections/${encodeURIComponent(whole)}${path}`
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
    answer: { download },
    text: [`${output}: ${amount(sizeBytes, 'bytes')}, ${rows}`, ...lost].join('\n'),
  }
}

/** A name without a workspace refers to the default workspace, which the server knows. */
async function withWorkspace(client: RestClient, name: string): Promise<string> {
  const layer = readField(await client.get(`/rest/layers/${encodeURIComponent(name)}`), 'layer')
  return `${readString(readField(layer, 'workspace'), 'name')}:${name}`
}
