import { readFile, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import type { Environment } from '../options.ts'
import { readChoice, UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { standardStream, writeOutput } from '../standard-streams.ts'
import { fieldsText, listText } from '../text-table.ts'
import type { Action, ManageContext, ManagedType } from './run-kind.ts'
import { givenOptions, runKind } from './run-kind.ts'
import { workspacePath } from './workspaces.ts'

const formats = ['sld', 'qml', 'maplibre'] as const
type Format = (typeof formats)[number]
/** Formats by file name extension. */
const endings = new Map<string, Format>([
  ['.sld', 'sld'],
  ['.xml', 'sld'],
  ['.qml', 'qml'],
  ['.json', 'maplibre'],
])
const mapLibreType = 'application/vnd.maplibre.style+json'

/** Path of global styles, or of those of `--workspace`. */
function collection({ values: { workspace } }: ManageContext): string {
  return workspace === undefined ? '/rest/styles' : `${workspacePath(workspace)}/styles`
}

function stylePath(context: ManageContext, name: string): string {
  return `${collection(context)}/${encodeURIComponent(name)}`
}

const list: Action = {
  words: [],
  options: ['workspace'],
  run: async (context) => {
    const found = listOf(readField(await context.client.get(collection(context)), 'styles'), 'style')
    const styles: object[] = []
    for (const one of found) {
      const style = readField(await context.client.get(stylePath(context, readString(one, 'name'))), 'style')
      styles.push({
        name: readString(style, 'name'),
        format: readString(style, 'format'),
        href: readString(one, 'href'),
        ...givenOptions({ workspace: context.values.workspace }),
        dateModified: readString(style, 'dateModified'),
      })
    }
    return { json: { styles }, text: listText('styles', ['name', 'format', 'dateModified'], styles) }
  },
}

const show: Action = {
  words: ['NAME'],
  options: ['workspace'],
  run: async (context, [name = '']) => describe(await context.client.get(stylePath(context, name))),
}

/** Writes the document of a style to a file, in its own format or another one. */
const download: Action = {
  words: ['NAME'],
  options: ['workspace', 'output', 'format'],
  run: async (context, [name = '']) => {
    const { client, values } = context
    const path = stylePath(context, name)
    const own = readString(readField(await client.get(path), 'style'), 'format')
    const ending = values.output === undefined ? undefined : endings.get(extname(values.output).toLowerCase())
    const format = readChoice('--format', values.format ?? ending ?? own, formats)
    const output = values.output ?? standardStream
    await writeOutput(output, async (part) => {
      if (format !== 'maplibre') return client.download(`${path}.${format}`, part, () => undefined)
      const document = await client.get(path, { accept: mapLibreType })
      return writeFile(part, `${JSON.stringify(document, null, 2)}\n`)
    })
    const isStandard = output === standardStream
    return { json: { file: output, format }, text: `${output}: ${format}`, hasOutput: isStandard }
  },
}

const create: Action = {
  words: ['NAME', 'FILE'],
  options: ['workspace', 'format'],
  run: async (context, [name = '', file = '']) => {
    const document = await readDocument(context, file)
    return describe(await context.client.post(collection(context), { style: { name, ...document } }))
  },
}

const change: Action = {
  words: ['NAME', 'FILE'],
  options: ['workspace', 'format'],
  run: async (context, [name = '', file = '']) => {
    const document = await readDocument(context, file)
    return describe(await context.client.put(stylePath(context, name), { style: document }))
  },
}

const remove: Action = {
  words: ['NAME'],
  options: ['workspace', 'recurse'],
  run: async (context, [name = '']) => {
    const { client, values } = context
    await client.delete(`${stylePath(context, name)}${values.recurse === true ? '?recurse=true' : ''}`)
    return { json: { deleted: name }, text: `Style ${name} is deleted` }
  },
}

/** Reads a style document from a file, or from standard input in the format of `--format`. */
async function readDocument({ values }: ManageContext, file: string) {
  const named = values.format ?? endings.get(extname(file).toLowerCase())
  if (named === undefined)
    throw new UsageError(`--format names the format of "${file}": ${formats.join(', ')}`)
  const format = readChoice('--format', named, formats)
  const document =
    file === standardStream ? await readText(process.stdin) : await readFile(file, 'utf8').catch(unreadable)
  return { format, document }
}

function unreadable(error: unknown): never {
  throw new UsageError(`The style cannot be read: ${error instanceof Error ? error.message : String(error)}`)
}

function describe(response: unknown) {
  const style = readField(response, 'style')
  const messages = listOf(style, 'messages').map(
    (one) => `${readString(one, 'level')}: ${readString(one, 'message')}`,
  )
  const fields = fieldsText([
    ['name', readString(style, 'name')],
    ['workspace', readString(readField(style, 'workspace'), 'name')],
    ...['format', 'dateCreated', 'dateModified'].map((name): [string, string] => [
      name,
      readString(style, name),
    ]),
  ])
  return { json: response, text: [fields, ...messages].join('\n') }
}

const styles: ManagedType = {
  command: 'styles',
  actions: { list, show, download, create, change, delete: remove },
}

/** `terrane styles` */
export function runStyles(args: string[], env: Environment): Promise<number> {
  return runKind(styles, args, env)
}
