import type { FileTarget, OptionValues } from './fetch-generated-file.ts'
import { fetchGeneratedFile, runFileCommand } from './fetch-generated-file.ts'
import type { Environment } from './options.ts'
import { UsageError } from './options.ts'
import { amount } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { readNumber } from './rest-client.ts'

const command = {
  name: 'export',
  flags: { 'min-zoom': { type: 'string' }, 'max-zoom': { type: 'string' } },
  formats: ['mbtiles', 'pmtiles'],
  plan: (values: OptionValues, target: FileTarget) => {
    const body = readBody(values, target)
    return (client: RestClient) => exportLayer(client, target, body)
  },
} as const

/** `terrane export LAYER --output FILE` */
export function runExport(args: string[], env: Environment): Promise<number> {
  return runFileCommand(command, args, env)
}

/** Returns the request body for the server. */
function readBody(values: OptionValues, { format }: FileTarget): { export: object } {
  const { bbox } = values
  const zooms = { minZoom: readZoom(values, 'min-zoom'), maxZoom: readZoom(values, 'max-zoom') }
  const box = typeof bbox === 'string' ? { bbox: readBox(bbox) } : {}
  return { export: { format, ...zooms, ...box, ...readVersion(values['version']) } }
}

function readZoom(values: OptionValues, name: string): number | undefined {
  const text = values[name]
  if (typeof text !== 'string') return undefined
  const zoom = Number(text)
  if (/^\d+$/.test(text) && zoom <= 22) return zoom
  throw new UsageError(`--${name} is a zoom from 0 to 22; found "${text}"`)
}

function readVersion(text: string | boolean | undefined): { version?: number } {
  if (typeof text !== 'string') return {}
  if (/^[1-9]\d*$/.test(text)) return { version: Number(text) }
  throw new UsageError(`--version is the number of a version; found "${text}"`)
}

function readBox(text: string): number[] {
  const box = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (box.length === 4 && box.every(Number.isFinite)) return box
  throw new UsageError(`--bbox is west,south,east,north in degrees; found "${text}"`)
}

/** Creates the file on the server, downloads it, and deletes it there. */
async function exportLayer(client: RestClient, { layer, output }: FileTarget, body: { export: object }) {
  const begun = await client.post(`/rest/layers/${encodeURIComponent(layer)}/exports`, body)
  const { download, sizeBytes } = await fetchGeneratedFile(client, begun, { layer, output, unit: 'tiles' })
  const tiles = amount(readNumber(download, 'progress'), 'tiles')
  return { json: { download }, text: `${output}: ${amount(sizeBytes, 'bytes')}, ${tiles} looked at` }
}
