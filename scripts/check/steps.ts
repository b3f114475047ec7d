import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '../../src/core/config/settings.ts'
import { additiveProblems } from './additive-migrations.ts'
import { contractProblems } from './contract-table.ts'
import { undocumentedExports } from './documented-exports.ts'
import { brokenPaths, settingProblems, unknownFiles, unknownTerms, unlistedPages } from './documents.ts'
import { drawing, drawModules } from './draw-modules.ts'
import { exportListProblems } from './entry-points.ts'
import { findErrorCodes } from './error-codes.ts'
import { errorPage, errorPageProblems, publicCodeProblems, publicCodes } from './error-page.ts'
import { eventProblems, eventsPage, writeEventsTable } from './events-table.ts'
import { extensionPoints } from './extension-points.ts'
import { functionProblems } from './function-lines.ts'
import { httpProblems } from './http-imports.ts'
import { cycleProblems, layerProblems, planProblems } from './import-order.ts'
import { readSources, type SourceFile } from './imports.ts'
import { languageProblems } from './language.ts'
import { moduleRules } from './layers.ts'
import { conditionalSpreadProblems, literalSpreadProblems } from './literal-spreads.ts'
import { planOf } from './module-plan.ts'
import { outputOf } from './run-tool.ts'
import { settingsPage, settingsPageProblems } from './settings-page.ts'
import { testEnvironmentProblems } from './test-environment.ts'
import { lookupProblems, nameProblems, textProblems } from './text-rules.ts'
import { typeNameProblems } from './type-names.ts'
import { unusedProblems } from './unused.ts'
import { wideParameterProblems } from './wide-parameters.ts'

/** One step of the check; `run` returns the problems found, or an empty text. */
export interface Step {
  name: string
  run(): Promise<string>
}

const sources = [
  'src/**/*.{ts,mjs}',
  'packages/**/*.ts',
  'web/**/*.{ts,tsx}',
  'tests/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.{ts,mjs}',
  'bin/**/*.mjs',
]
const documents = [
  '*.md',
  'docs/**/*.md',
  'tests/**/*.md',
  'sample/**/*.md',
  'packages/**/*.md',
  '.ci/run',
  'scripts/**/*.sh',
]

/** Sources that the rules read. Each file is read and parsed once for all rules. */
interface Repository {
  root: string
  files: SourceFile[]
  texts: SourceFile[]
}

/** Format, lint, types and the project's own rules. The tools, which are processes of their own, come first. */
export function staticSteps(root: string): Step[] {
  const tool = (name: string): string => join(root, 'node_modules', '.bin', name)
  const read = lazily(
    (): Repository => ({ root, files: readSources(root, sources), texts: readSources(root, documents) }),
  )
  const rules = (name: string, find: (repository: Repository) => string[]): Step => ({
    name,
    run: async () => find(read()).join('\n'),
  })
  return [
    { name: 'types', run: () => outputOf(root, tool('tsc'), typeOptions(root, '.')) },
    { name: 'types of the pages', run: () => outputOf(root, tool('tsc'), typeOptions(root, 'web')) },
    {
      name: 'format and lint',
      run: () => outputOf(root, tool('biome'), ['check', '--diagnostic-level=warn', '--error-on-warnings']),
    },
    { name: 'unused files, exports and packages', run: async () => (await unusedProblems(root)).join('\n') },
    rules('layers, circles, texts, documents', projectProblems),
    rules('language', ({ files, texts }) => languageProblems(files, texts)),
    rules('pages made from the sources', pageProblems),
    rules('functions, comments, extension points, error codes', syntaxProblems),
  ]
}

/**
 * Options of tsc for the project in a folder. tsc stores its results in `node_modules`, so that the next run
 * checks only changes. Parallel checkers repeat each other's work, so more of them than processors only cost
 * time.
 */
export function typeOptions(root: string, project: string): string[] {
  const name = project === '.' ? 'program' : project
  return [
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    join(root, 'node_modules', '.cache', 'types', `${name}.tsbuildinfo`),
    '--checkers',
    String(Math.min(4, availableParallelism())),
    '--project',
    project,
  ]
}

function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function projectProblems({ root, files, texts }: Repository): string[] {
  const pages = texts.filter((file) => file.path.endsWith('.md'))
  const settings = pages.find((file) => file.path === settingsPage) ?? { path: settingsPage, text: '' }
  return [
    ...planProblems(
      files.map((file) => file.path),
      moduleRules,
    ),
    ...layerProblems(files, moduleRules),
    ...cycleProblems(files),
    ...additiveProblems(files),
    ...nameProblems(files.map((file) => file.path)),
    ...textProblems([...files, ...texts]),
    ...lookupProblems(files),
    ...testEnvironmentProblems(files),
    ...brokenPaths(root, pages),
    ...unknownFiles(files, pages),
    ...settingProblems(files, settings),
    ...pages
      .filter(({ path }) => /^docs\/(?:\w+\/)?README\.md$/.test(path))
      .flatMap((index) => unlistedPages(index, pages)),
    ...pages.filter(({ path }) => path === 'docs/glossary.md').flatMap((page) => unknownTerms(files, page)),
    ...pages
      .filter((page) =>
        /^docs\/(?:(?:importer|monitoring)-contract|ogc-tiles|conformance)\.md$/.test(page.path),
      )
      .flatMap((contract) => contractProblems(contract, files)),
  ]
}

/** Files whose objects are written member by member: style documents, headers, parameters of tools and addresses. */
const readByKeys = [
  'src/styles/maplibre/write-maplibre.ts',
  'src/styles/maplibre/write-symbols.ts',
  'src/styles/maplibre/write-text.ts',
  'src/cli/manage/find-layers.ts',
  'src/cli/manage/versions.ts',
  'src/api/ogcapi/api-description.ts',
  'src/importer/task-types/served/stage-file.ts',
  'src/render/vector-metadata.ts',
  'src/inputs/remote/http/http.ts',
]

function syntaxProblems({ root, files }: Repository): string[] {
  const entryPoints = Object.entries(moduleRules.entryPoints).flatMap(([folder, names]) =>
    names.map((name) => `${folder}/${name}`),
  )
  const { codes, problems } = findErrorCodes(files)
  return [
    ...problems,
    ...eventProblems(files),
    ...publicCodeProblems(readFileSync(join(root, publicCodes), 'utf8'), codes),
    ...functionProblems(files),
    ...literalSpreadProblems(files),
    ...conditionalSpreadProblems(
      files.filter(({ path }) => /^(?:src|packages)\/(?!.*\.test\.ts$)/.test(path)),
      readByKeys,
    ),
    ...wideParameterProblems(files),
    ...exportListProblems(files),
    ...undocumentedExports(files, entryPoints),
    ...httpProblems(files),
    ...typeNameProblems(files, extensionPoints),
  ]
}

/** Pages that are not what `npm run docs` would make of the sources. */
function pageProblems({ root, files: all }: Repository): string[] {
  const files = all.filter(({ path }) => path.startsWith('src/'))
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const isOld = (path: string, made: string): string[] =>
    read(path) === made ? [] : [`${path} is not what the sources say: npm run docs`]
  return [
    ...errorPageProblems(read(errorPage), findErrorCodes(files).codes),
    ...settingsPageProblems(read(settingsPage), readSettings({}).descriptions),
    ...isOld(drawing, drawModules(planOf(files, moduleRules))),
    ...isOld(eventsPage, writeEventsTable(read(eventsPage), files)),
  ]
}
