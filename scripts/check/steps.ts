import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractProblems } from './contract-table.ts'
import { undocumentedExports } from './documented-exports.ts'
import { brokenPaths, settingProblems, unknownFiles } from './documents.ts'
import { drawing, drawRooms } from './draw-rooms.ts'
import { findErrorCodes } from './error-codes.ts'
import { errorPage, errorPageProblems, publicCodeProblems, publicCodes } from './error-page.ts'
import { eventProblems, eventsPage, writeEventsTable } from './events-table.ts'
import { functionProblems } from './function-lines.ts'
import { httpProblems } from './http-imports.ts'
import { cycleProblems, layerProblems, planProblems } from './import-order.ts'
import { readSources } from './imports.ts'
import { house } from './layers.ts'
import { planOf } from './room-plan.ts'
import { outputOf } from './run-tool.ts'
import { seams } from './seams.ts'
import { lookupProblems, nameProblems, textProblems } from './text-rules.ts'
import { typeNameProblems } from './type-names.ts'
import { unusedProblems } from './unused.ts'

/** One part of the check; `run` gives what is wrong, or an empty text. */
export interface Step {
  name: string
  run(): Promise<string>
}

const sources = [
  'src/**/*.{ts,mjs}',
  'web/**/*.{ts,tsx}',
  'tests/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.{ts,mjs}',
  'bin/**/*.mjs',
]
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
      name: 'types of the pages',
      run: () => outputOf(root, tool('tsc'), ['--noEmit', '-p', 'web']),
    },
    {
      name: 'format and lint',
      run: () => outputOf(root, tool('biome'), ['check', '--diagnostic-level=warn', '--error-on-warnings']),
    },
    { name: 'layers, circles, texts, documents', run: async () => projectProblems(root).join('\n') },
    { name: 'pages made from the sources', run: async () => pageProblems(root).join('\n') },
    { name: 'functions, comments, seams, error codes', run: async () => syntaxProblems(root).join('\n') },
    {
      name: 'unused files, exports and packages',
      run: async () => (await unusedProblems(root)).join('\n'),
    },
  ]
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
      .filter((page) =>
        /^docs\/(?:(?:importer|monitoring)-contract|ogc-tiles|conformance)\.md$/.test(page.path),
      )
      .flatMap((contract) => contractProblems(contract, files)),
  ]
}

function syntaxProblems(root: string): string[] {
  const files = readSources(root, sources)
  const doors = Object.entries(house.doors).flatMap(([folder, names]) =>
    names.map((name) => `${folder}/${name}`),
  )
  const { codes, problems } = findErrorCodes(files)
  return [
    ...problems,
    ...eventProblems(files),
    ...publicCodeProblems(readFileSync(join(root, publicCodes), 'utf8'), codes),
    ...functionProblems(files),
    ...undocumentedExports(files, doors),
    ...httpProblems(files),
    ...typeNameProblems(files, seams),
  ]
}

/** Pages that are not what `npm run docs` would make of the sources. */
function pageProblems(root: string): string[] {
  const files = readSources(root, ['src/**/*.ts'])
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const isOld = (path: string, made: string): string[] =>
    read(path) === made ? [] : [`${path} is not what the sources say: npm run docs`]
  return [
    ...errorPageProblems(read(errorPage), findErrorCodes(files).codes),
    ...isOld(drawing, drawRooms(planOf(files, house))),
    ...isOld(eventsPage, writeEventsTable(read(eventsPage), files)),
  ]
}
