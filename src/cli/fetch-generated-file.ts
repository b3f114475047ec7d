import { existsSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadSettings } from '../core/config/settings.ts'
import type { Environment } from './options.ts'
import {
  accessFlags,
  jsonFlag,
  readAccess,
  readChoice,
  readFlags,
  refuseMoreWords,
  UsageError,
} from './options.ts'
import { ProgressDisplay } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { readField, readNumber, readString } from './rest-client.ts'
import { withServer } from './server-access.ts'
import { printProgress, writeOutput } from './standard-streams.ts'

const pollMs = 300

const commonFlags = {
  format: { type: 'string', short: 'f' },
  output: { type: 'string', short: 'o' },
  bbox: { type: 'string' },
  version: { type: 'string' },
  workspace: { type: 'string', short: 'w' },
  ...jsonFlag,
  ...accessFlags,
} as const

/** Values of the options of a command. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>

/** Layer and output file of a command. */
export interface FileTarget {
  /** With its workspace if one is named. */
  layer: string
  output: string
  format: string
}

interface FileCommand {
  name: string
  /** Options of this command, in addition to those that all file commands have. */
  flags: Record<string, { type: 'string' }>
  formats: readonly string[]
  /** File name extensions that differ from the format name. */
  extensions?: ReadonlyMap<string, string>
  /** Reads the options; returns a function that creates and downloads the file. */
  plan(
    values: OptionValues,
    target: FileTarget,
  ): (client: RestClient) => Promise<{ json: object; text: string }>
}

/** Runs a command that writes a layer to a file: `terrane NAME LAYER --output FILE`. */
export async function runFileCommand(
  command: FileCommand,
  args: string[],
  env: Environment,
): Promise<number> {
  const { values, positionals } = readFlags(command.name, args, { ...command.flags, ...commonFlags })
  refuseMoreWords(command.name, positionals, 1)
  const target = readTarget(command, values, positionals[0])
  const work = command.plan(values, target)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { json, text } = await withServer(settings, readAccess(values), env, ({ client }) => work(client))
  printProgress(target.output, values.json ? JSON.stringify(json, null, 2) : text)
  return 0
}

function readTarget(
  { name, formats, extensions }: FileCommand,
  { output, format, workspace }: OptionValues,
  layer: string | undefined,
): FileTarget {
  if (layer === undefined) throw new UsageError(`\`terrane ${name}\` needs a layer`)
  if (typeof output !== 'string') throw new UsageError(`\`terrane ${name}\` needs --output FILE`)
  if (!existsSync(dirname(output))) throw new UsageError(`There is no folder "${dirname(output)}"`)
  const extension = extname(output).slice(1)
  const requested =
    typeof format === 'string' ? format : (extensions?.get(extension.toLowerCase()) ?? extension)
  const isWhole = typeof workspace !== 'string' || layer.includes(':')
  return {
    layer: isWhole ? layer : `${workspace}:${layer}`,
    output,
    format: readChoice('--format, or the ending of --output,', requested, formats),
  }
}

interface GeneratedFileRequest {
  layer: string
  output: string
  /** Unit that the server counts. */
  unit: 'tiles' | 'rows'
}

/**
 * Waits for a file that the server is creating, downloads it, and deletes it on the server, also on failure.
 */
export async function fetchGeneratedFile(
  client: RestClient,
  begun: unknown,
  { layer, output, unit }: GeneratedFileRequest,
): Promise<{ download: unknown; sizeBytes: number }> {
  const display = new ProgressDisplay(process.stderr)
  const path = `/rest/downloads/${readString(readField(begun, 'download'), 'id')}`
  const remove = () => client.delete(path).catch(() => undefined)
  const stop = (): void => void remove().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  try {
    const download = await waitFor(client, path, (done, total) =>
      display.update(layer, { label: layer, done, total, unit }),
    )
    if (readString(download, 'state') !== 'COMPLETE') throw new Error(readString(download, 'message'))
    const sizeBytes = readNumber(download, 'sizeBytes')
    await fetchFile(client, `${path}/file`, output, (done) =>
      display.update(layer, { label: output, done, total: sizeBytes, unit: 'bytes' }),
    )
    return { download, sizeBytes }
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
    const download = readField(await client.get(path), 'download')
    if (!['PENDING', 'RUNNING'].includes(readString(download, 'state'))) return download
    onProgress(readNumber(download, 'progress'), readNumber(download, 'total'))
    await sleep(pollMs)
  }
}

/** Removes an incomplete download; an existing file is replaced only by a complete one. */
async function fetchFile(
  client: RestClient,
  path: string,
  output: string,
  onReceived: (bytes: number) => void,
): Promise<void> {
  await writeOutput(output, (part) => client.download(path, part, onReceived))
}
