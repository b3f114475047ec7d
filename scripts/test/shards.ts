import type { SourceFile } from '../check/imports.ts'
import { reaches } from '../check/reach.ts'

/** Test files that run one after another in one process. */
export interface Shard {
  name: string
  files: string[]
}

type File = Pick<SourceFile, 'path' | 'text' | 'imports'>

/** Kinds of shards. The files of a shard share a loaded application, a browser, or neither. */
const kinds = ['application', 'browser', 'unit'] as const
type ShardKind = (typeof kinds)[number]

/** Files of a shard of each kind. Fewer files in a shard load the application more often, more end less evenly. */
const filesOfShard: Record<ShardKind, number> = { application: 14, browser: 7, unit: 60 }
/** Files of the extended tier take about four times as long. */
const filesOfExtendedShard: Record<ShardKind, number> = { application: 4, browser: 3, unit: 20 }
/**
 * Files that take longer than a minute on two processors, the longest first. Each has a process of its own, and they start
 * first, so that short files fill both processors to the end.
 */
export const longFiles = [
  'kills/kill',
  'fairness-reads',
  'pages/import-sources',
  'pages/every-page',
  'documents/documents',
  'kills/two-servers',
  'pages/layer-style',
  'hostile/keys',
  'documents/extending',
  'access/http-matrix-cluster',
]
  .map((name) => `tests/extended/${name}.test.ts`)
  .concat('tests/release/recount.test.ts')

const application = 'src/app/app.ts'
const browsers = ['tests/support/browser.ts', 'tests/pages/support/shown-pages.ts']

/**
 * Matches test files that permanently change their process or measure it: environment variables, V8 flags,
 * open file descriptors, memory, CPU time, Node modules.
 */
const ownProcessText =
  /process\.env(?:\.\w+|\[[^\]]+\]) = |Object\.assign\(process\.env|setFlagsFromString|\/proc\/self|process\.cpuUsage|syncBuiltinESMExports|mock\.method\(process|\b(?:leavesNothingOpen|ownTemporaryFolder|addedMegabytes|describeMemory)\(/
/** Unit tests that start or break workers of their own process. */
const ownProcessPaths =
  /(?:collect-garbage|worker-handle|start-thread|work-pool|leave-stuck-work|embedded-jobs)\.test\.ts$/

/** Divides test files among processes. Whole folders are spread over the shards, as their files take about the same time. */
export function divideIntoShards(
  tests: readonly File[],
  sources: readonly File[],
  { isExtended = false } = {},
): Shard[] {
  const known = [...sources]
  const sizes = isExtended ? filesOfExtendedShard : filesOfShard
  const alone = [
    ...longFiles.flatMap((name) => tests.find(({ path }) => path === name) ?? []),
    ...tests.filter((file) => !longFiles.includes(file.path) && needsOwnProcess(file)),
  ]
  const groups = Map.groupBy(
    tests.filter((file) => !alone.includes(file)),
    (file) => kindOf(known, file.path),
  )
  return [
    ...alone.map(({ path }) => ({ name: `alone ${path}`, files: [path] })),
    ...interleave(kinds.map((kind) => spread(kind, groups.get(kind) ?? [], sizes[kind]))),
  ]
}

/**
 * Merges lists so that each is spread evenly over the whole: shards that wait for a browser run in parallel
 * with shards that compute.
 */
function interleave<T>(lists: readonly T[][]): T[] {
  return lists
    .flatMap((list) => list.map((item, at) => ({ item, position: (at + 0.5) / list.length })))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item)
}

/** True if a test file changes or measures the process that it runs in. */
function needsOwnProcess({ path, text }: File): boolean {
  return ownProcessText.test(text) || ownProcessPaths.test(path)
}

function kindOf(files: File[], path: string): ShardKind {
  if (browsers.some((name) => reaches(files, path, name))) return 'browser'
  return reaches(files, path, application) ? 'application' : 'unit'
}

function spread(kind: ShardKind, files: readonly File[], filesOfOne: number): Shard[] {
  const count = Math.ceil(files.length / filesOfOne)
  return Array.from({ length: count }, (_, at) => ({
    name: `${kind} ${at + 1}`,
    files: files.filter((_file, index) => index % count === at).map(({ path }) => path),
  }))
}
