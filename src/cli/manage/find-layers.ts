import { UsageError } from '../options.ts'
import type { RestRequests } from '../rest-client.ts'
import { listOf, readField, readNumber, readString } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import type { Action, ManageContext } from './run-kind.ts'
import { workspacePath } from './workspaces.ts'

export const layerListColumns = ['name', 'title', 'kind', 'rows', 'srs', 'public', 'requests', 'problem']

/** Converts a layer to a row of the printed list. */
export function toRow(layer: unknown): Record<string, string> {
  return {
    ...Object.fromEntries(layerListColumns.map((column) => [column, readString(layer, column)])),
    name: `${readString(layer, 'workspace')}:${readString(layer, 'name')}`,
    requests: readString(readField(layer, 'requests'), 'total'),
    problem: readString(readField(layer, 'problem'), 'code'),
  }
}

const pageSize = 500

/** Lists all layers, or those of a workspace, by name. */
export async function listAll(client: RestRequests, workspace: string | undefined): Promise<unknown[]> {
  // A workspace that does not exist must cause an error, not an empty list.
  if (workspace !== undefined) await client.get(workspacePath(workspace))
  const layers: unknown[] = []
  for (;;) {
    const query = new URLSearchParams({
      sort: 'name',
      limit: String(pageSize),
      offset: String(layers.length),
      ...(workspace === undefined ? {} : { workspace }),
    })
    const response = await client.get(`/rest/catalogue/layers?${query}`)
    const page = listOf(response, 'layers')
    layers.push(...page)
    if (page.length === 0 || layers.length >= readNumber(response, 'total')) return layers
  }
}

/** `terrane layers find WORDS` */
export const find: Action = {
  words: ['WORDS'],
  options: ['workspace', 'kind', 'public', 'private', 'problem', 'sort'],
  run: async ({ client, values }, [words = '']) => {
    const { workspace, kind, problem, sort } = values
    const open = values.public === true ? 'true' : values.private === true ? 'false' : undefined
    const requested = {
      q: words,
      workspace,
      kind,
      sort,
      public: open,
      problem: problem && 'true',
      limit: '500',
    }
    const query = new URLSearchParams(
      Object.entries(requested).filter((one): one is [string, string] => Boolean(one[1])),
    )
    const response = await client.get(`/rest/catalogue/layers?${query}`)
    const layers = listOf(response, 'layers').map(toRow)
    const rest = Number(readString(response, 'total')) - layers.length
    const text = listText('layers', layerListColumns, layers)
    return { json: response, text: rest > 0 ? `${text}\nand ${rest} more: narrow the words` : text }
  },
}

/** A layer is named `WORKSPACE:NAME`, or `NAME` with `--workspace`, else in the default workspace. */
export function layerPath({ values }: ManageContext, name: string): string {
  const { workspace } = values
  const isWhole = workspace === undefined || name.startsWith(`${workspace}:`)
  if (!isWhole && name.includes(':'))
    throw new UsageError(`"${name}" names another workspace than --workspace ${workspace}`)
  return `/rest/layers/${encodeURIComponent(isWhole ? name : `${workspace}:${name}`)}`
}
