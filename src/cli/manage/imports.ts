import { randomUUID } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Environment } from '../environment.ts'
import { fieldOf, listOf, numberOf, textOf } from '../json-views.ts'
import { UsageError } from '../options.ts'
import { filesToUpload } from '../upload-files.ts'
import type { Action, Kind } from './run-kind.ts'
import { runKind } from './run-kind.ts'
import { listText } from './texts.ts'

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const answer = await client.get('/rest/imports')
    const found = listOf(answer, 'imports').map((one) => ({
      id: textOf(one, 'id'),
      state: textOf(one, 'state'),
    }))
    return { answer, text: listText('imports', ['id', 'state'], found) }
  },
}

/** Fetches the rejected rows of a task as a file like their source. */
const rejects: Action = {
  words: ['IMPORT', 'TASK'],
  options: ['output'],
  run: async ({ client, values: { output } }, [importId = '', taskId = '']) => {
    const path = taskPath(importId, taskId)
    const part = `${output ?? 'rejects'}.${randomUUID()}.part`
    try {
      const headers = await client.download(`${path}/rejects?format=source`, part, () => undefined)
      const file = output ?? nameOf(headers['content-disposition'])
      if (output === undefined && (await stat(file).catch(() => undefined)) !== undefined)
        throw new UsageError(`There is a file "${file}" already: name another with --output`)
      await rename(part, file)
      const format = decoded(headers['terrane-format'])
      const note = decoded(headers['terrane-format-note'])
      const why = note === '' ? '' : `\n${note}: the rows are given as ${format}`
      return { answer: { file, format, ...(note === '' ? {} : { note }) }, text: `${file}: ${format}${why}` }
    } finally {
      await rm(part, { force: true })
    }
  },
}

/** Sends mended rows back. */
const mend: Action = {
  words: ['IMPORT', 'TASK', 'FILE'],
  options: ['accept'],
  run: async ({ client, values: { accept } }, [importId = '', taskId = '', file = '']) => {
    const query = accept === undefined ? '' : `?accept=${encodeURIComponent(accept)}`
    const path = `${taskPath(importId, taskId)}/rejects${query}`
    const answer = await client.upload(path, await filesToUpload(file), () => undefined)
    const task = fieldOf(answer, 'task')
    const mending = fieldOf(task, 'mending')
    const isWhole =
      numberOf(fieldOf(mending, 'rows'), 'loaded') === numberOf(fieldOf(mending, 'rows'), 'sent')
    return {
      answer,
      text: toldText(task, mending),
      isFailed: textOf(mending, 'state') !== 'COMPLETE' || !isWhole,
    }
  },
}

function toldText(task: unknown, mending: unknown): string {
  const rows = fieldOf(mending, 'rows')
  const counts = ['sent', 'loaded', 'rejected', 'refused'].map((name) => `${numberOf(rows, name)} ${name}`)
  const reasons = listOf(mending, 'reasons').map((one) => ({
    rows: textOf(one, 'count'),
    field: textOf(one, 'field'),
    reason: textOf(one, 'reason'),
  }))
  const messages = listOf(mending, 'messages').map((one) => textOf(one, 'message'))
  const told = sums.map(([name, words]) => `${numberOf(task, name)} ${words}`)
  return [
    `${textOf(mending, 'state')}: ${counts.join(', ')}`,
    ...(textOf(mending, 'errorMessage') === '' ? [] : [textOf(mending, 'errorMessage')]),
    ...messages,
    ...(reasons.length === 0 ? [] : [listText('reasons', ['rows', 'field', 'reason'], reasons)]),
    `The task: ${told.join(', ')}`,
  ].join('\n')
}

const sums = [
  ['rowsRead', 'rows read'],
  ['rowsLoaded', 'loaded'],
  ['rejected', 'rejected'],
  ['mended', 'mended and loaded'],
] as const

function taskPath(importId: string, taskId: string): string {
  for (const [what, text] of [
    ['an import', importId],
    ['a task', taskId],
  ] as const)
    if (!/^\d+$/.test(text)) throw new UsageError(`"${text}" is not the id of ${what}: a whole number`)
  return `/rest/imports/${importId}/tasks/${taskId}`
}

/** The last part of the name that the server gives, so that it cannot lead elsewhere. */
function nameOf(disposition: string | undefined): string {
  const [, name = 'rejects'] = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '') ?? []
  return basename(decodeURIComponent(name))
}

function decoded(header: string | string[] | undefined): string {
  return typeof header === 'string' ? decodeURI(header) : ''
}

const imports: Kind = { command: 'imports', actions: { list, rejects, mend } }

/** `terrane imports [ACTION] ...` */
export const runImports = (args: string[], env: Environment): Promise<number> => runKind(imports, args, env)
