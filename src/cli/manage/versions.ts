import { UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import { layerPath } from './find-layers.ts'
import type { Action } from './run-kind.ts'

/** Parts of a layer to restore. */
const parts = ['data', 'style']

/** Lists the versions of a layer. */
export const versions: Action = {
  words: ['NAME'],
  options: ['workspace'],
  run: async (context, [name = '']) => {
    const response = await context.client.get(`${layerPath(context, name)}/versions`)
    const found = listOf(response, 'versions')
    const rows = found.map((one) => ({
      ...texts(one, ['version', 'created', 'user', 'cause', 'mode', 'rows', 'style']),
      restorable: readString(one, 'restorable') === 'true' ? 'yes' : readString(one, 'reason'),
    }))
    const columns = ['version', 'created', 'user', 'cause', 'mode', 'rows', 'style', 'restorable']
    return { json: response, text: listText('versions', columns, rows) }
  },
}

function texts<Name extends string>(one: unknown, names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, readString(one, name)])) as Record<Name, string>
}

/** Restores a version of a layer. */
export const restore: Action = {
  words: ['NAME', 'VERSION'],
  options: ['workspace', 'what'],
  run: async (context, [name = '', version = '']) => {
    requireNumber(version, name)
    const { what } = context.values
    if (what !== undefined && !parts.includes(what))
      throw new UsageError(`--what is ${parts.join(' or ')}, found "${what}"`)
    const body = what === undefined ? {} : { what: [what] }
    const response = await context.client.post(
      `${layerPath(context, name)}/versions/${version}/restore`,
      body,
    )
    const made = readString(readField(response, 'version'), 'version')
    return {
      json: response,
      text: `Layer ${name} is what it was at version ${version}: that is version ${made} now`,
    }
  },
}

/** Reports the differences between two versions. */
export const changes: Action = {
  words: ['NAME', 'VERSION'],
  options: ['workspace', 'against'],
  run: async (context, [name = '', version = '']) => {
    const { against } = context.values
    requireNumber(version, name)
    if (against !== undefined) requireNumber(against, name)
    const query = new URLSearchParams({ limit: '100', ...(against === undefined ? {} : { against }) })
    const path = `${layerPath(context, name)}/versions/${version}/changes?${query}`
    const response = await context.client.get(path)
    const counts = readField(response, 'changes')
    const numbers = ['added', 'changed', 'removed', 'same']
      .filter((one) => readString(counts, one) !== '')
      .map((one) => `${readString(counts, one)} ${one}`)
    const rows = listOf(readField(response, 'rows'), 'features').map((feature) => {
      const row = readField(feature, 'properties')
      const [before, after] = ['before', 'after'].map((one) => rowText(readField(row, one)))
      return { ...texts(row, ['change', 'featureId']), before, after }
    })
    const head = `Version ${version} to ${readString(response, 'against')}: ${numbers.join(', ')}`
    if (rows.length === 0) return { json: response, text: head }
    return {
      json: response,
      text: `${head}\n${listText('changes', ['change', 'featureId', 'before', 'after'], rows)}`,
    }
  },
}

function rowText(row: unknown): string {
  return row === null || row === undefined ? '' : JSON.stringify(row)
}

function requireNumber(version: string, name: string): void {
  if (!/^[1-9]\d*$/.test(version))
    throw new UsageError(`"${version}" is not the number of a version: \`terrane layers versions ${name}\``)
}
