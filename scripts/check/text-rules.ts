import type { SourceFile } from './imports.ts'

interface TextRule {
  pattern: RegExp
  message: string
  /** Files it applies to; default: all. */
  files?: RegExp
}

const rules: TextRule[] = [
  { pattern: /(?:^|[\s'"`(=])\/(?:home|Users|work|root)\/\w/m, message: 'names a path of one machine' },
  { pattern: /\bTODO\b(?!\(#\d+\)| #\d+)/, message: 'has a TODO without an issue number, as in "TODO #12"' },
  {
    pattern: /@ts-(?:ignore|nocheck|expect-error)|\bbiome-(?:ignore)/,
    message: 'switches a check off',
    files: /\.[cm]?[jt]sx?$/,
  },
  { pattern: /\b(?:it|test|describe)\.(?:only|skip|todo)\(/, message: 'skips tests', files: /\.test\.ts$/ },
  {
    pattern: /^import\s(?!type\b)[^'"`;]*['"]\.[^'"]*(?<!\.(?:tsx?|mjs|json|css|svg))['"]/m,
    message: 'imports a relative path without its file ending',
    files: /\.tsx?$/,
  },
  {
    pattern: /\bdialect [!=]== '(?:geoserver|contract)'/,
    message: 'compares the dialect: add a function with the name of the difference to src/api/compat',
    files: /^src\/(?!api\/compat\/)/,
  },
  {
    pattern: /\/\*\*\s+(?:\*\s+)?(?:What|How|Whether|Which|Where|Who)\b/,
    message:
      'has a doc comment that begins with a question word: say what the thing is or does, as in "Returns…"',
    files: /\.[cm]?tsx?$/,
  },
]

const tableForm = /^(?:export )?const (\w+): (?:Partial<|Readonly<)?Record<string,.*= \{/gm

/**
 * Returns object literals used as tables and read by `table[key]` or `in`, which also find the members that
 * every object inherits.
 */
function openLookups(text: string): { name: string; at: number }[] {
  const names = [...text.matchAll(tableForm)].map(([, name = '']) => name)
  return names.flatMap((name) => {
    const at = text.search(new RegExp(`(?<![\\w#.])${name}\\[|\\bin ${name}\\)`))
    return at < 0 ? [] : [{ name, at }]
  })
}

/** Keys that come from outside are looked up in a `Map` or by `ownValue`. */
export function lookupProblems(files: Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files
    .filter(({ path }) => /^src\/.*(?<!\.test)\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      openLookups(text).map(({ name, at }) => {
        const line = text.slice(0, at + 1).split('\n').length
        return `${path}:${line} looks up a key in the table ${name}: use a Map, or ownValue of src/core/values/record-keys.ts`
      }),
    )
}

const fileName = /^(?:[a-z0-9]+(?:[-.][a-z0-9]+)*)\.(?:tsx?|mjs|sh|json|md)$/

/**
 * Checks texts and names against the rules that no other tool checks. Returns one message for each violation.
 */
export function textProblems(files: Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files
    .filter((file) => !file.path.startsWith('scripts/check/text-rules'))
    .flatMap(({ path, text }) => {
      const broken = rules.filter((rule) => (rule.files?.test(path) ?? true) && rule.pattern.test(text))
      return broken.map((rule) => {
        const line = text.slice(0, text.search(rule.pattern) + 1).split('\n').length
        return `${path}:${line} ${rule.message}`
      })
    })
}

/** Source files whose names are not in kebab-case. */
export function nameProblems(paths: string[]): string[] {
  return paths
    .filter((path) => !fileName.test(path.split('/').at(-1) ?? ''))
    .map((path) => `${path} is not named in kebab-case`)
}
