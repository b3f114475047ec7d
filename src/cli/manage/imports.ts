import { rename, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Environment } from '../options.ts'
import { UsageError } from '../options.ts'
import { listOf, readField, readNumber, readString } from '../rest-client.ts'
import { standardStream, withStandardInput, writeOutput } from '../standard-streams.ts'
import { listText } from '../text-table.ts'
import { filesToUpload } from '../upload-files.ts'
import type { Action, ManageContext, ManagedType } from './run-kind.ts'
import { runKind } from './run-kind.ts'
import { cancel, pathOfImport, run, setColumns, setCrs, show } from './waiting-imports.ts'

const columns = ['id', 'state', 'created', 'user', 'source', 'workspace', 'layers', 'loaded', 'rejected']
const usualLimit = '50'

/** Lists imports with their results, newest first. */
const list: Action = {
  words: [],
  options: ['limit'],
  run: async ({ client, values: { limit = usualLimit } }) => {
    const response = await client.get(`/rest/import-history?limit=${encodeURIComponent(limit)}`)
    const imports = listOf(response, 'imports')
    const rows = imports.map((one) => ({
      id: readString(one, 'id'),
      state: readString(one, 'state'),
      created: readString(one, 'created'),
      user: readString(one, 'user'),
      workspace: readString(one, 'workspace'),
      source: readString(readField(one, 'source'), 'name'),
      layers: listOf(one, 'layers').join(', '),
      loaded: readString(one, 'rowsLoaded'),
      rejected: readString(one, 'rejected'),
    }))
    const rest = readNumber(response, 'total') - rows.length
    const text = listText('imports', columns, rows)
    return { json: response, text: rest > 0 ? `${text}\nand ${rest} older: --limit N` : text }
  },
}

/** Downloads the rejected rows of a task as a file in the format of their source. */
const rejects: Action = {
  words: ['IMPORT', 'TASK'],
  options: ['output'],
  run: async ({ client, values: { output } }, [importId = '', taskId = '']) => {
    const path = taskPath(importId, taskId)
    const fetched = await writeOutput(output ?? `rejects-${importId}-${taskId}`, async (part) => {
      const headers = await client.download(`${path}/rejects?format=source`, part, () => undefined)
      const file = output ?? nameOf(headers['content-disposition'])
      if (output === undefined && (await stat(file).catch(() => undefined)) !== undefined)
        throw new UsageError(`There is a file "${file}" already: name another with --output`)
      return { headers, file }
    })
    const { headers, file } = fetched
    if (output === undefined) await rename(`rejects-${importId}-${taskId}`, file)
    const format = decoded(headers['terrane-format'])
    const note = decoded(headers['terrane-format-note'])
    const why = note === '' ? '' : `\n${note}: the rows are given as ${format}`
    const result = { file, format, note: note === '' ? undefined : note }
    return { json: result, text: `${file}: ${format}${why}`, hasOutput: output === standardStream }
  },
}

/** Uploads corrected rows. */
const correct: Action = {
  words: ['IMPORT', 'TASK', 'FILE'],
  options: ['accept', 'name'],
  run: async (context, [importId = '', taskId = '', file = '']) =>
    file === standardStream
      ? withStandardInput(context.values.name, (path) => sendRejects(context, importId, taskId, path))
      : sendRejects(context, importId, taskId, file),
}

async function sendRejects(
  { client, values: { accept } }: ManageContext,
  importId: string,
  taskId: string,
  file: string,
) {
  const query = accept === undefined ? '' : `?accept=${encodeURIComponent(accept)}`
  const path = `${taskPath(importId, taskId)}/rejects${query}`
  const response = await client.upload(path, await filesToUpload(file), () => undefined)
  const task = readField(response, 'task')
  const correcting = readField(task, 'mending')
  const isWhole =
    readNumber(readField(correcting, 'rows'), 'loaded') === readNumber(readField(correcting, 'rows'), 'sent')
  return {
    json: response,
    text: reportedText(task, correcting),
    isFailed: readString(correcting, 'state') !== 'COMPLETE' || !isWhole,
  }
}

function reportedText(task: unknown, correcting: unknown): string {
  const rows = readField(correcting, 'rows')
  const counts = ['sent', 'loaded', 'rejected', 'refused'].map((name) => `${readNumber(rows, name)} ${name}`)
  const reasons = listOf(correcting, 'reasons').map((one) => ({
    rows: readString(one, 'count'),
    field: readString(one, 'field'),
    reason: readString(one, 'reason'),
  }))
  const messages = listOf(correcting, 'messages').map((one) => readString(one, 'message'))
  const reported = sums.map(([name, words]) => `${readNumber(task, name)} ${words}`)
  return [
    `${readString(correcting, 'state')}: ${counts.join(', ')}`,
    ...(readString(correcting, 'errorMessage') === '' ? [] : [readString(correcting, 'errorMessage')]),
    ...messages,
    ...(reasons.length === 0 ? [] : [listText('reasons', ['rows', 'field', 'reason'], reasons)]),
    `The task: ${reported.join(', ')}`,
  ].join('\n')
}

const sums = [
  ['rowsRead', 'rows read'],
  ['rowsLoaded', 'loaded'],
  ['rejected', 'rejected'],
  ['mended', 'corrected and loaded'],
] as const

function taskPath(importId: string, taskId: string): string {
  const path = pathOfImport(importId)
  if (!/^\d+$/.test(taskId)) throw new UsageError(`"${taskId}" is not the id of a task: a whole number`)
  return `${path}/tasks/${taskId}`
}

/**
 * Returns the last path segment of the file name from the server, so that it cannot refer to another folder.
 */
function nameOf(disposition: string | undefined): string {
  const [, name = 'rejects'] = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '') ?? []
  return basename(decodeURIComponent(name))
}

function decoded(header: string | string[] | undefined): string {
  return typeof header === 'string' ? decodeURI(header) : ''
}

const imports: ManagedType = {
  command: 'imports',
  actions: { list, show, 'set-crs': setCrs, 'set-columns': setColumns, run, cancel, rejects, correct },
}

/** `terrane imports [ACTION] ...` */
export const runImports = (args: string[], env: Environment): Promise<number> => runKind(imports, args, env)
