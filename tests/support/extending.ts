import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { allBlocks } from './document-blocks.ts'

const root = join(import.meta.dirname, '..', '..')
const pages = 'docs/extending'
const examples = `${pages}/examples`
/** Folders that nothing writes to; the copy contains links to them. */
const linked = ['node_modules', '.runtime', 'tests/fixtures']
const leftOut = ['.git', 'data', 'build/tests']

/** Page of `docs/extending` whose example is added to a copy of the tree as the page describes. */
export interface Guide {
  /** Kind of extension that the guide adds, such as `store`. */
  kind: string
  page: string
  /** Patches of existing files, usually one line in a registry. */
  patches: string[]
  /** The arguments of `npm test --` in the page. */
  tests: string[]
}

/** Every page that has an example. */
export function readGuides(): Guide[] {
  const kinds = existsSync(join(root, examples)) ? readdirSync(join(root, examples)) : []
  return kinds.sort().map((kind) => readGuide(kind, `${pages}/${kind}.md`))
}

function readGuide(kind: string, page: string): Guide {
  const guide: Guide = { kind, page, patches: [], tests: [] }
  const copying = `cp -r ${examples}/${kind}/. .`
  const commands: string[] = []
  for (const { language, code, place } of allBlocks(page)) {
    if (language === 'diff') guide.patches.push(code)
    else if (language === 'sh') commands.push(...code.split('\n'))
    else
      throw new Error(`${place}: a block of a page with an example is sh or diff, so that a test can run it`)
  }
  for (const command of commands) {
    const test = /^npm test -- (.+)$/.exec(command)?.[1]
    if (test !== undefined) guide.tests.push(...wordsOf(test))
    else if (command !== copying && command !== 'npm run check') {
      throw new Error(`${page}: no test runs "${command}"; known are "${copying}" and "npm test -- <file>"`)
    }
  }
  if (!commands.includes(copying)) throw new Error(`${page} does not say "${copying}"`)
  if (guide.tests.length === 0) throw new Error(`${page} does not say how the example is tested`)
  return guide
}

/** The words of a command; those in quotes may hold spaces. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''))
}

/** Copies the tree of the repository to an empty folder. */
export function copyTree(target: string): void {
  const nameOf = (path: string): string => relative(root, path)
  cpSync(root, target, { recursive: true, filter: (path) => ![...linked, ...leftOut].includes(nameOf(path)) })
  for (const name of linked) {
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(target, name))
  }
}

/** Adds the example of a page to a copy of the tree. Returns the files that it adds or changes. */
export function addExample(target: string, { kind, page, patches }: Guide): string[] {
  const example = join(root, examples, kind)
  const added = readdirSync(example, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(example, join(entry.parentPath, entry.name)))
  for (const file of added) {
    if (existsSync(join(target, file))) throw new Error(`${page}: the example would overwrite ${file}`)
  }
  mkdirSync(target, { recursive: true })
  cpSync(example, target, { recursive: true })
  const changed = patches.map((patch) => {
    const { path, hunks } = parsePatch(page, patch)
    const file = join(target, path)
    writeFileSync(file, applyHunks(readFileSync(file, 'utf8'), hunks, `${page}, ${path}`))
    return path
  })
  return [...added, ...changed]
}

interface Hunk {
  before: string[]
  after: string[]
}

/** A block such as `--- src/stores/registry.ts`, then hunks after lines of `@@`, as in a unified diff. */
function parsePatch(page: string, patch: string): { path: string; hunks: Hunk[] } {
  const [first = '', ...lines] = patch.split('\n')
  const path = /^--- (\S+)$/.exec(first)?.[1]
  if (path === undefined) throw new Error(`${page}: a diff begins with "--- <path>", not with "${first}"`)
  const hunks: Hunk[] = []
  for (const line of lines) {
    if (line.startsWith('@@')) hunks.push({ before: [], after: [] })
    const hunk = hunks.at(-1)
    if (line.startsWith('@@') || hunk === undefined) continue
    if (!line.startsWith('+')) hunk.before.push(line.slice(1))
    if (!line.startsWith('-')) hunk.after.push(line.slice(1))
  }
  return { path, hunks }
}

function applyHunks(text: string, hunks: Hunk[], where: string): string {
  return hunks.reduce((changed, { before, after }) => {
    const parts = `\n${changed}`.split(`\n${before.join('\n')}\n`)
    if (parts.length !== 2) {
      throw new Error(`${where}: these lines stand there ${parts.length - 1} times:\n${before.join('\n')}`)
    }
    return parts.join(`\n${after.join('\n')}\n`).slice(1)
  }, text)
}
