import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { contractProblems } from './contract-table.ts'
import { undocumentedExports } from './documented-exports.ts'
import { brokenPaths, settingProblems, unknownFiles } from './documents.ts'
import { functionProblems } from './function-lines.ts'
import { httpProblems } from './http-imports.ts'
import { cycleProblems, layerProblems, planProblems } from './import-order.ts'
import { readSources } from './imports.ts'
import { moreThanKnown } from './known-offenders.ts'
import { house } from './layers.ts'
import { runTool } from './run-tool.ts'
import { seams } from './seams.ts'
import { lookupProblems, nameProblems, textProblems } from './text-rules.ts'
import { typeNameProblems } from './type-names.ts'
import { unusedProblems } from './unused.ts'

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
      run: () => outputOf(root, tool('tsc'), ['--noEmit']),
    },
    {
      name: 'format and lint',
      run: () => outputOf(root, tool('biome'), ['check', '--diagnostic-level=warn', '--error-on-warnings']),
    },
    { name: 'layers, circles, texts, documents', run: async () => projectProblems(root).join('\n') },
    { name: 'functions, comments, seams', run: async () => syntaxProblems(root).join('\n') },
    {
      name: 'unused files, exports and packages',
      run: async () =>
        moreThanKnown('unused files, exports and packages', await unusedProblems(root)).join('\n'),
    },
  ]
}

/** Unit tests beside the sources; those that need a database are left to `npm test`. */
export function unitTestStep(root: string): Step {
  const tests = readSources(root, ['src/**/*.test.ts', 'scripts/**/*.test.ts'])
  const files = tests.filter((file) => !file.imports.some(isDatabase)).map((file) => file.path)
  const options = ['--test', '--test-reporter=dot', `--test-concurrency=${availableParallelism()}`]
  return { name: 'unit tests', run: () => outputOf(root, process.execPath, [...options, ...files]) }
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

function syntaxProblems(root: string): string[] {
  const files = readSources(root, sources)
  const doors = Object.entries(house.doors).flatMap(([folder, names]) =>
    names.map((name) => `${folder}/${name}`),
  )
  return [
    ...moreThanKnown('functions of more than 80 lines', functionProblems(files)),
    ...moreThanKnown('exports without a comment', undocumentedExports(files, doors)),
    ...moreThanKnown('http reaches below the rooms it serves', httpProblems(files)),
    ...moreThanKnown('names of types outside their room', typeNameProblems(files, seams)),
  ]
}

async function outputOf(root: string, program: string, args: string[]): Promise<string> {
  const { code, said, complained } = await runTool(root, program, args)
  return code === 0 ? '' : `${said}${complained}`.trim() || `${program} ended with code ${code}`
}
