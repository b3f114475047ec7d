import type { SourceFile } from './imports.ts'

type Text = Pick<SourceFile, 'path' | 'text'>

const word = /`([^`]+)`|"([^"]+)"/g

/** Returns one message for each row of the contract's tables that names no test or a missing one. */
export function contractProblems({ path, text }: Text, tests: Text[]): string[] {
  const area = path.includes('monitoring') ? 'monitoring' : 'importer'
  const known = new Map(tests.map((test) => [test.path, test.text]))
  return tableRows(text).flatMap(({ rule, proof }) =>
    rowProblems(proof, known, area).map((problem) => `${path}, "${rule}": ${problem}`),
  )
}

function tableRows(text: string): { rule: string; proof: string }[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|(?:-|\s*rule\s*\|)/.test(line))
    .map((line) => {
      const [rule = '', proof = ''] = line.split('|').slice(1)
      return { rule: rule.trim(), proof: proof.trim() }
    })
}

function rowProblems(proof: string, known: Map<string, string>, area: string): string[] {
  const problems: string[] = []
  let file: string | undefined
  for (const [, name, title] of proof.matchAll(word)) {
    if (name !== undefined) {
      file = testPath(name, area)
      if (!known.has(file)) problems.push(`${file} does not exist`)
    } else if (!isTitleIn(textOf(known, file ?? ''), title as string)) {
      problems.push(`${file} has no test that begins "${title}"`)
    }
  }
  return file === undefined ? ['names no test'] : problems
}

/** Returns the path of a test: short names are those of the contract tests of the page's service. */
function testPath(name: string, area: string): string {
  return name.includes('/') ? name : `tests/contract/${area}/${name}.test.ts`
}

/** Returns the text of a test file, with the module beside it whose tests it runs. */
function textOf(known: Map<string, string>, file: string): string {
  return [file, file.replace('.test.ts', '.ts')].map((path) => known.get(path) ?? '').join('\n')
}

function isTitleIn(text: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => text.includes(quote + title))
}
