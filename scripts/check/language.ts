import { posix } from 'node:path'
import type { SourceFile } from './imports.ts'
import { type LanguageException, languageExceptions } from './language-exceptions.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

type Text = Pick<SourceFile, 'path' | 'text'>

/** A word or phrase that the project does not use. */
interface Finding {
  path: string
  line: number
  /** The word, phrase or name as written. */
  found: string
  message: string
}

/** Phrases that are wrong in any sentence, with the terms that replace them. */
const phrases: [RegExp, string][] = [
  [/\brehears(?:al|als|e|es|ed|ing)\b/i, 'dry run'],
  [/\bmend(?:s|ed|ing)?\b/i, 'correct, repair'],
  [/\bledgers?\b/i, 'row accounting'],
  [/\bcrews?\b/i, 'worker pool'],
  [/\bdesks?\b/i, 'commands, service'],
  [/\bstrangers?\b/i, 'unknown client, unrelated module'],
  [/\bseams?\b/i, 'extension point'],
  [/\bunder way\b/i, 'running, pending, in flight'],
  [/\b(?:put|puts|putting|bring|brings|bringing|brought)(?: (?:it|them|the \w+))? back\b/i, 'restore'],
  [/\b(?:laid|lay|lays) by\b/i, 'retain'],
  [/\b(?:laid|lay|lays) out for\b/i, 'write to row files'],
  [/\b(?:is|are|was|were|be|been) looked at\b/i, 'inspect, preview, check'],
  [/\b(?:is|are|was|were|be|been) taken up\b/i, 'resume, reuse'],
  [/\bin (?:its|their|our|turns|a) turns?\b/i, 'queue, lock'],
  [/\b(?:take|takes|took|taking) (?:their )?turns\b/i, 'queue, lock'],
  [/\bof ours\b/i, 'name the owner'],
  [/\bas they are now\b/i, 'current'],
]

/** Words that no identifier contains. */
const words = new Map(
  Object.entries({
    wish: 'request, options',
    wishes: 'requests',
    asked: 'request, requested',
    wanted: 'requested, expected',
    told: 'reported, response',
    said: 'output, message',
    question: 'query',
    questions: 'queries',
    rehearsal: 'dryRun',
    trial: 'dryRun',
    trials: 'dryRuns',
    mend: 'correct, repair',
    mended: 'corrected',
    mending: 'corrections',
    mendable: 'correctable',
    ledger: 'accounting',
    crew: 'pool',
    desk: 'commands',
    door: 'entryPoint',
    doors: 'entryPoints',
    rooms: 'modules',
    seam: 'extensionPoint',
    seams: 'extensionPoints',
    stranger: 'other',
    strangers: 'others',
  }),
)

/** Parts of identifiers that no identifier contains, over several words. */
const partsOfNames: [RegExp, string][] = [
  [/laidBy|LaidBy|^lay(?:[A-Z][a-z]+)?By$|LayBy/, 'retained'],
  [/underWay|UnderWay/, 'running, inFlight'],
  [/^(?:put|bring)(?:[A-Z]\w*)?Back/, 'restore'],
]

/** Names that are sentences about where a thing came from. */
const typeNames: [RegExp, string][] = [
  [/^(?:Kept|Asked|Told|Wanted|Given)(?:[A-Z]|$)/, '…Request, Stored…, …Response'],
  [/(?:Wish|Question|Wanted|Asked)$/, '…Request, …Query'],
  [/^(?:Place|Look|Live|Kind|Thin|Settle|Keep)s?$|(?:Look|Live|Thin|Settle|Keep)$/, 'a more exact noun'],
]

const folderName = /^(?:place|look|live|kind|thin|settle|keep|room|door|desk|crew|card|rehearse)s?$/

/** Returns one message for each word, phrase or name that does not belong to the terms of the project. */
export function languageProblems(
  sources: readonly Text[],
  pages: readonly Text[],
  exceptions: readonly LanguageException[] = languageExceptions,
): string[] {
  const used = new Set<LanguageException>()
  const isException = ({ path, found }: Finding): boolean => {
    const one = exceptions.find(
      ({ where, what }) => path.startsWith(where) && what.toLowerCase() === found.toLowerCase(),
    )
    if (one !== undefined) used.add(one)
    return one !== undefined
  }
  const findings = [
    ...sources.flatMap(findInSource),
    ...pages.filter(isCheckedPage).flatMap(findInPage),
    ...findInPaths([...sources, ...pages]),
  ]
  return [
    ...findings
      .filter((finding) => !isException(finding))
      .map(({ path, line, message }) => `${path}:${line} ${message}`),
    ...exceptions
      .filter((one) => !used.has(one))
      .map(({ where, what }) => `language-exceptions.ts lists "${what}" in ${where}, which does not occur`),
  ]
}

/** The changelog and transcripts are not checked; of decision records only the title is. */
function isCheckedPage({ path }: Text): boolean {
  return path.endsWith('.md') && path !== 'CHANGELOG.md' && !path.startsWith('docs/transcripts/')
}

function findInSource(file: Text): Finding[] {
  // The types of the API are generated; their texts are checked where they are written.
  if (file.path.startsWith('scripts/check/language') || file.path === 'web/api/openapi.d.ts') return []
  const { program, comments } = syntaxOf(file)
  const findings = comments.flatMap(({ value, start }) => findPhrases(file, value, start))
  const isProduct =
    /^(?:src|packages|web)\/(?!.*\.test\.)/.test(file.path) && !/\/messages\/de/.test(file.path)
  walk(program, (node, around) => {
    if (node.type === 'Literal' && typeof node.value === 'string' && isProduct)
      findings.push(...findPhrases(file, node.value, node.start))
    if (node.type === 'TemplateElement' && isProduct)
      findings.push(...findPhrases(file, node.value.raw, node.start))
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier')
      findings.push(...findInName(file, node.name, node.start))
    const parent = around.at(-1)
    const declaresType =
      (parent?.type === 'TSInterfaceDeclaration' ||
        parent?.type === 'TSTypeAliasDeclaration' ||
        parent?.type === 'ClassDeclaration') &&
      parent.id === node
    if (declaresType && node.type === 'Identifier')
      findings.push(...findTypeName(file, node.name, node.start))
  })
  return onePerLine(findings)
}

function findInPage(file: Text): Finding[] {
  const prose = file.text
    .replaceAll(/^```[\s\S]*?^```/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)
  const isRecord = file.path.startsWith('docs/decisions/') && !file.path.endsWith('README.md')
  return onePerLine(findPhrases(file, isRecord ? (prose.split('\n')[0] ?? '') : prose, 0))
}

/** Replaces all but line breaks by spaces, so that positions stay equal. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

function findPhrases(file: Text, text: string, start: number): Finding[] {
  const prose = text.replaceAll(/`[^`\n]*`|"[^"\n]*"/g, blank)
  return phrases.flatMap(([pattern, instead]) =>
    [...prose.matchAll(new RegExp(pattern, 'gi'))].map((match) =>
      finding(file, start + match.index, match[0], instead),
    ),
  )
}

function findInName(file: Text, name: string, start: number): Finding[] {
  const parts = name.match(/[A-Z]?[a-z]+/g) ?? []
  const word = parts.find((part) => words.has(part.toLowerCase()))
  if (word !== undefined) return [finding(file, start, name, words.get(word.toLowerCase()) ?? '')]
  return matchName(file, name, start, partsOfNames)
}

function findTypeName(file: Text, name: string, start: number): Finding[] {
  return matchName(file, name, start, typeNames)
}

function matchName(file: Text, name: string, start: number, rules: [RegExp, string][]): Finding[] {
  const rule = rules.find(([pattern]) => pattern.test(name))
  return rule === undefined ? [] : [finding(file, start, name, rule[1])]
}

/** Finds folders with an ambiguous name, and files named with a word that identifiers do not contain. */
function findInPaths(files: readonly Text[]): Finding[] {
  const folders = new Set(
    files.map(({ path }) => posix.dirname(path)).filter((path) => !path.startsWith('docs')),
  )
  const ofFolders = [...folders].flatMap((path) => {
    const name = posix.basename(path)
    return folderName.test(name) ? [{ path, found: name }] : []
  })
  const ofFiles = files
    .filter(({ path }) => !path.startsWith('docs/decisions/'))
    .flatMap(({ path }) => {
      const name = posix.basename(path)
      const isWrong =
        name.split(/[-.]/).some((word) => words.has(word)) || /(?:^|-)(?:lay-by|under-way)/.test(name)
      return isWrong ? [{ path, found: name }] : []
    })
  return [...ofFolders, ...ofFiles].map(({ path, found }) => ({
    path,
    line: 1,
    found,
    message: `is named "${found}": use a term of docs/glossary.md`,
  }))
}

function finding(file: Text, position: number, found: string, instead: string): Finding {
  const message = `has "${found}": use a standard term, such as ${instead}`
  return { path: file.path, line: lineAt(file.text, position), found, message }
}

function onePerLine(findings: Finding[]): Finding[] {
  return [...new Map(findings.map((one) => [`${one.line} ${one.found}`, one])).values()]
}
