import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** A fenced block of a document, by its place: `README.md > First minute > sh 2`. */
export interface Block {
  place: string
  language: string
  code: string
}

/** Returns the names of the documents for users. */
export function documentNames(): string[] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  return ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)].sort()
}

/** Every block of a document; the number counts those of a language below a heading. */
export function allBlocks(document: string): Block[] {
  const blocks: Block[] = []
  const counts = new Map<string, number>()
  let heading = ''
  let open: { fence: string; language: string; lines: string[] } | undefined
  for (const line of readFileSync(join(root, document), 'utf8').split('\n')) {
    const [, fence = '', language = ''] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? []
    if (open === undefined && line.startsWith('#')) heading = line.replace(/^#+ /, '')
    if (open === undefined && fence !== '') open = { fence, language: language || 'text', lines: [] }
    else if (open !== undefined && fence === open.fence && language === '') {
      const key = `${document} > ${heading} > ${open.language}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      blocks.push({ place: `${key} ${count}`, language: open.language, code: open.lines.join('\n') })
      open = undefined
    } else open?.lines.push(line)
  }
  return blocks
}

/** The block at a place; throws where there is none. */
export function blockAt(place: string): string {
  const found = allBlocks(place.split(' > ')[0] ?? '').find((one) => one.place === place)
  if (found === undefined) throw new Error(`No document has the block ${place}`)
  return found.code
}
