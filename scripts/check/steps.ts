import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { contractProblems } from './contract-table.ts'
import { brokenPaths, settingProblems, unknownFiles } from './documents.ts'
import { cycleProblems, layerProblems, planProblems } from './import-order.ts'
import { readSources } from './imports.ts'
import { house } from './layers.ts'
import { lookupProblems, nameProblems, textProblems } from './text-rules.ts'

/** One part of the check; `run` gives what is wrong, or an empty text. */
export interface Step {
  name: string
  run(): Promise<string>
}

const sources = ['src/**/*.ts', 'tests/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.{ts,mjs}', 'bin/**/*.mjs']
const documents = ['*.md', 'docs/**/*.md', 'tests/**/*.md', 'sample/**/*.md', '.ci/run', 'scripts/**/*.sh']

/** Format, lint, types and the project's own rules. */
export function staticSteps(root: string): Step[] {
  const tool = (name: string): string => join(root, 'node_modules', '.bin', name)
  return [
    {
      name: 'types',
      run: () => runTool(root, tool('tsc'), ['--noEmit']),
    },
    {
      name: 'format and lint',
      run: () => runTool(root, tool('biome'), ['check', '--diagnostic-level=warn', '--error-on-warnings']),
    },
    { name: 'layers, circles, texts, documents', run: async () => projectProblems(root).join('\n') },
  ]
}

/** Unit tests beside the sources; those that need a database are left to `npm test`. */
export function unitTestStep(root: string): Step {
  const tests = readSources(root, ['src/**/*.test.ts', 'scripts/**/*.test.ts'])
  const files = tests.filter((file) => !file.imports.some(isDatabase)).map((file) => file.path)
  const options = ['--test', '--test-reporter=dot', `--test-concurrency=${availableParallelism()}`]
  return { name: 'unit tests', run: () => runTool(root, process.execPath, [...options, ...files]) }
}

function isDatabase(path: string): boolean {
  return path === 'tests/support/postgres.ts'
}

function projectProblems(root: string): string[] {
  const files = readSources(root, sources)
  const texts = readSources(root, documents)
  const pages = texts.filter((file) => file.path.endsWith('.md'))
  const readme = pages.find((file) => file.path === 'README.md')?.text ?? ''
  return [
    ...planProblems(
      files.map((file) => file.path),
      house,
    ),
    ...layerProblems(files, house),
    ...cycleProblems(files),
    ...nameProblems(files.map((file) => file.path)),
    ...textProblems([...files, ...texts]),
    ...lookupProblems(files),
    ...brokenPaths(root, pages),
    ...unknownFiles(files, pages),
    ...settingProblems(files, readme),
    ...pages
      .filter((page) => /^docs\/(importer|monitoring)-contract\.md$/.test(page.path))
      .flatMap((contract) => contractProblems(contract, files)),
  ]
}

async function runTool(root: string, program: string, args: string[]): Promise<string> {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return code === 0 ? '' : said.trim() || `${program} ended with code ${code}`
}
