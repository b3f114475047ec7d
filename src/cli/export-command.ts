import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadSettings } from '../config/settings.ts'
import type { Environment } from './environment.ts'
import { fieldOf, numberOf, textOf } from './json-views.ts'
import {
  accessFlags,
  jsonFlag,
  readAccess,
  readChoice,
  readFlags,
  refuseMoreWords,
  UsageError,
} from './options.ts'
import { amount, ProgressDisplay } from './progress-display.ts'
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
const pollMs = 300

interface ExportPlan {
  layer: string
  output: string
  /** As the server wants it. */
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

/** Has the server make the file, fetches it, and takes it away there. */
async function exportLayer(client: RestClient, { layer, output, body }: ExportPlan) {
  const display = new ProgressDisplay(process.stderr)
  const begun = await client.post(`/rest/layers/${encodeURIComponent(layer)}/exports`, body)
  const id = textOf(fieldOf(begun, 'download'), 'id')
  const path = `/rest/downloads/${id}`
  const remove = () => client.delete(path).catch(() => undefined)
  const stop = (): void => void remove().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  try {
    const download = await waitFor(client, path, (done, total) =>
      display.update(layer, { label: layer, done, total, unit: 'tiles' }),
    )
    if (textOf(download, 'state') !== 'COMPLETE') throw new Error(textOf(download, 'message'))
    const total = numberOf(download, 'sizeBytes')
    await fetchFile(client, `${path}/file`, output, (done) =>
      display.update(layer, { label: output, done, total, unit: 'bytes' }),
    )
    const tiles = amount(numberOf(download, 'progress'), 'tiles')
    return { answer: { download }, text: `${output}: ${amount(total, 'bytes')}, ${tiles} looked at` }
  } finally {
    process.off('SIGINT', stop)
    display.finish(layer)
    await remove()
  }
}

async function waitFor(
  client: RestClient,
  path: string,
  onProgress: (done: number, total: number) => void,
): Promise<unknown> {
  for (;;) {
    const download = fieldOf(await client.get(path), 'download')
    if (!['PENDING', 'RUNNING'].includes(textOf(download, 'state'))) return download
    onProgress(numberOf(download, 'progress'), numberOf(download, 'total'))
    await sleep(pollMs)
  }
}

/** A file that was not fetched whole leaves nothing, and what was there before. */
async function fetchFile(
  client: RestClient,
  path: string,
  output: string,
  onReceived: (bytes: number) => void,
): Promise<void> {
  const part = `${output}.part`
  try {
    await client.download(path, part, onReceived)
    await rename(part, output)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
