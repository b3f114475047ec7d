import type { Environment } from '../options.ts'
import { UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { fieldsText, listText } from '../text-table.ts'
import { find, layerListColumns, layerPath, listAll, toRow } from './find-layers.ts'
import { publish } from './publish.ts'
import type { Action, ManageContext, ManagedType } from './run-kind.ts'
import { eitherOption, givenOptions, readManaged, requireChange, runKind } from './run-kind.ts'
import { changes, restore, versions } from './versions.ts'

const list: Action = {
  words: [],
  options: ['workspace'],
  run: async ({ client, values: { workspace } }) => {
    const layers = await listAll(client, workspace)
    return { json: { layers }, text: listText('layers', layerListColumns, layers.map(toRow)) }
  },
}

const show: Action = {
  words: ['NAME'],
  options: ['workspace'],
  run: async (context, [name = '']) => describe(await context.client.get(layerPath(context, name))),
}

const change: Action = {
  words: ['NAME'],
  options: [
    'workspace',
    'title',
    'abstract',
    'keyword',
    'attribution',
    'licence',
    'contact',
    'owner',
    'citation',
    'doi',
    'style',
    'further-style',
    'managed',
    'public',
    'private',
    'inherit',
  ],
  run: async (context, [name = '']) => {
    const { values } = context
    const { title, abstract, attribution, licence, contact, owner, citation, doi } = values
    const [keywords, styles] = [listGiven(values.keyword), listGiven(values['further-style'])]
    const texts = { title, abstract, keywords, attribution, licence, contact, owner, citation, doi }
    const managed = readManaged(values)
    const requested = givenOptions({
      ...texts,
      defaultStyle: values.style,
      styles,
      managed,
      public: publicity(values),
    })
    const options =
      '--title, --abstract, --keyword, --attribution, --licence, --contact, --owner, --citation, --doi, --style, --further-style, --managed'
    requireChange('layers change', requested, `${options}, --public, --private or --inherit`)
    return describe(await context.client.put(layerPath(context, name), { layer: requested }))
  },
}

/** Replaces existing values; a single `none` removes all. */
function listGiven(values: string[] | undefined): string[] | undefined {
  return values?.length === 1 && values[0] === 'none' ? [] : values
}

function publicity(values: ManageContext['values']): boolean | 'workspace' | undefined {
  const own = eitherOption(values, 'public', 'private')
  if (values.inherit !== true) return own
  if (own !== undefined) throw new UsageError('--inherit goes without --public and --private')
  return 'workspace'
}

const remove: Action = {
  words: ['NAME'],
  options: ['workspace', 'recurse'],
  run: async (context, [name = '']) => {
    const path = layerPath(context, name)
    await context.client.delete(`${path}${context.values.recurse === true ? '?recurse=true' : ''}`)
    return { json: { deleted: name }, text: `Layer ${name} is deleted` }
  },
}

const create: Action = {
  words: [],
  options: [],
  run: async () => {
    throw new UsageError(
      'Layers are created by `terrane import`, or by `terrane layers publish` from tables of a store',
    )
  },
}

function describe(response: unknown) {
  const layer = readField(response, 'layer')
  const box = readField(layer, 'bbox')
  const text = fieldsText([
    ['name', readString(readField(layer, 'resource'), 'name')],
    ...['type', 'title', 'abstract', 'public', 'version', 'srs', 'featureCount'].map(
      (name): [string, string] => [name, readString(layer, name)],
    ),
    [
      'bbox',
      ['minx', 'miny', 'maxx', 'maxy']
        .map((side) => readString(box, side))
        .join(' ')
        .trim(),
    ],
    ['keywords', listOf(layer, 'keywords').join(', ')],
    ...['attribution', 'licence', 'contact', 'owner', 'citation', 'doi'].map((name): [string, string] => [
      name,
      readString(layer, name),
    ]),
    ['style', readString(readField(layer, 'defaultStyle'), 'name')],
    [
      'further styles',
      listOf(layer, 'styles')
        .map((one) => readString(one, 'name'))
        .join(', '),
    ],
    ['store', readString(readField(layer, 'store'), 'name')],
    ['columns', listOf(layer, 'attributes').map(columnText).join(', ')],
    ['dateModified', readString(layer, 'dateModified')],
  ])
  return { json: response, text }
}

/** `population (Integer)`: class names without their packages. */
function columnText(attribute: unknown): string {
  const type = readString(attribute, 'binding').split('.').at(-1) ?? ''
  return `${readString(attribute, 'name')} (${type === '[B' ? 'Binary' : type})`
}

const layers: ManagedType = {
  command: 'layers',
  actions: { list, find, show, create, change, publish, delete: remove, versions, restore, changes },
}

/** `terrane layers` */
export function runLayers(args: string[], env: Environment): Promise<number> {
  return runKind(layers, args, env)
}
