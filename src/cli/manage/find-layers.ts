import { fieldOf, listOf, textOf } from '../json-views.ts'
import type { Action } from './run-kind.ts'
import { listText } from './texts.ts'

const columns = ['name', 'title', 'kind', 'rows', 'srs', 'public', 'requests', 'problem']

/** `terrane layers find WORDS` */
export const find: Action = {
  words: ['WORDS'],
  options: ['workspace', 'kind', 'public', 'private', 'problem', 'sort'],
  run: async ({ client, values }, [words = '']) => {
    const { workspace, kind, problem, sort } = values
    const open = values.public === true ? 'true' : values.private === true ? 'false' : undefined
    const wanted = { q: words, workspace, kind, sort, public: open, problem: problem && 'true', limit: '500' }
    const query = new URLSearchParams(
      Object.entries(wanted).filter((one): one is [string, string] => Boolean(one[1])),
    )
    const answer = await client.get(`/rest/catalogue/layers?${query}`)
    const layers = listOf(answer, 'layers').map((one) => ({
      ...Object.fromEntries(columns.map((column) => [column, textOf(one, column)])),
      name: `${textOf(one, 'workspace')}:${textOf(one, 'name')}`,
      requests: textOf(fieldOf(one, 'requests'), 'total'),
      problem: textOf(fieldOf(one, 'problem'), 'code'),
    }))
    const rest = Number(textOf(answer, 'total')) - layers.length
    const text = listText('layers', columns, layers)
    return { answer, text: rest > 0 ? `${text}\nand ${rest} more: narrow the words` : text }
  },
}
