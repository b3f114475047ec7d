import { existsSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { loadSettings } from '../config/settings.ts'
import type { Environment } from './environment.ts'
import { fetchGeneratedFile } from './fetch-generated-file.ts'
import { readNumber } from './json-views.ts'
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

const flags = {
  format: { type: 'string', short: 'f' },
  output: { type: 'string', short: 'o' },
  'min-zoom': { type: 'string' },
  'max-zoom': { type: 'string' },
  bbox: { type: 'string' },
  version: { type: 'string' },
  workspace: { type: 'string', short: 'w' },
  ...jsonFlag,
  ...accessFlags,
} as const
const formats = ['mbtiles', 'pmtiles'] as const

interface ExportPlan {
  layer: string
  output: string
  /** Request body for the server. */
  body: { export: Record<string, unknown> }
}

/** `terrane export LAYER --output FILE` */
export async function runExport(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags('export', args, flags)
  refuseMoreWords('export', positionals, 1)
  const plan = readPlan(values, positionals[0])
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { answer, text } = await withServer(settings, readAccess(values), env, ({ client }) =>
    exportLayer(client, plan),
  )
  process.stdout.write(`${values.json ? JSON.stringify(answer, null, 2) : text}\n`)
  return 0
}

function readPlan(
  values: Record<string, string | boolean | undefined>,
  name: string | undefined,
): ExportPlan {
  const { output, format, workspace, bbox } = values
  if (name === undefined) throw new UsageError('`terrane export` needs a layer')
  if (typeof output !== 'string') throw new UsageError('`terrane export` needs --output FILE')
  if (!existsSync(dirname(output))) throw new UsageError(`There is no folder "${dirname(output)}"`)
  const ending = extname(output).slice(1)
  const wanted = typeof format === 'string' ? format : ending
  const isWhole = typeof workspace !== 'string' || name.includes(':')
  const zooms = { minZoom: readZoom(values, 'min-zoom'), maxZoom: readZoom(values, 'max-zoom') }
  const box = typeof bbox === 'string' ? { bbox: readBox(bbox) } : {}
  return {
    layer: isWhole ? name : `${workspace}:${name}`,
    output,
    body: {
      export: {
        format: readChoice('--format, or the ending of --output,', wanted, formats),
        ...Object.fromEntries(Object.entries(zooms).filter(([, zoom]) => zoom !== undefined)),
        ...box,
        ...readVersion(values.version),
      },
    },
  }
}

function readZoom(values: Record<string, string | boolean | undefined>, name: string): number | undefined {
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
async function exportLayer(client: RestClient, { layer, output, body }: ExportPlan) {
  const begun = await client.post(`/rest/layers/${encodeURIComponent(layer)}/exports`, body)
  const { download, sizeBytes } = await fetchGeneratedFile(client, begun, { layer, output, unit: 'tiles' })
  const tiles = amount(readNumber(download, 'progress'), 'tiles')
  return { answer: { download }, text: `${output}: ${amount(sizeBytes, 'bytes')}, ${tiles} looked at` }
}
