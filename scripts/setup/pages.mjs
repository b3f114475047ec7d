import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { SetupError, say } from './run.mjs'

/** Parts of the pages that start by themselves; all else is loaded by them when it is needed. */
const entries = { main: 'main.tsx', ogc: 'ogc.ts' }
/** First page of most visits: the document preloads the files that it needs. */
const home = 'pages/home/home.tsx'
/** Style sheets that load with the pages that need them, one per file. */
const sheetFolder = 'styles/sheets'
/** Separate module: the code that shows a map receives its name as `MAPLIBRE_WORKER`. */
const worker = 'maplibre-gl/dist/maplibre-gl-worker.mjs'
const compressed = new Set(['.js', '.mjs', '.css', '.svg'])
const minBytes = 1024

/** Bundles `web/` into `build/pages/` where that is not what is there already: `files/`, and `pages.json`, which lists them. */
export async function buildPages(root) {
  const folder = join(root, 'build', 'pages')
  const stamp = stampOf(root)
  if (readStamp(folder) === stamp) return
  const { build } = createRequire(join(root, 'package.json'))('esbuild')
  const files = join(`${folder}.part`, 'files')
  rmSync(`${folder}.part`, { recursive: true, force: true })
  mkdirSync(files, { recursive: true })
  const script = readFileSync(join(root, 'node_modules', worker))
  const workerName = `maplibre-gl-worker-${createHash('sha256').update(script).digest('hex').slice(0, 8)}.mjs`
  const { metafile } = await build(optionsOf(root, files, workerName)).catch((error) => {
    throw new SetupError(`The pages could not be built: ${error.message}`)
  })
  writeFileSync(join(files, workerName), script)
  for (const name of readdirSync(files)) compress(join(files, name))
  const list = {
    stamp,
    entries: entriesOf(metafile),
    sheets: sheetsOf(metafile),
    packages: packagesOf(metafile),
  }
  writeFileSync(join(`${folder}.part`, 'pages.json'), JSON.stringify(list))
  rmSync(folder, { recursive: true, force: true })
  renameSync(`${folder}.part`, folder)
  say('Built the pages.')
}

function optionsOf(root, outdir, workerName) {
  const web = join(root, 'web')
  return {
    absWorkingDir: root,
    entryPoints: [
      ...Object.entries(entries).map(([out, file]) => ({ in: join(web, file), out })),
      ...readdirSync(join(web, sheetFolder)).map((file) => ({
        in: join(web, sheetFolder, file),
        out: `sheet-${basename(file, '.css')}`,
      })),
    ],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    charset: 'utf8',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'file' },
    define: { 'process.env.NODE_ENV': '"production"', MAPLIBRE_WORKER: JSON.stringify(workerName) },
  }
}

/** Entry -> its script with those that it imports, and its style sheet. */
function entriesOf({ outputs }) {
  const found = {}
  const named = Object.entries({ ...entries, home })
  for (const [path, { entryPoint, cssBundle }] of Object.entries(outputs)) {
    const [name] = named.find(([, file]) => entryPoint === `web/${file}`) ?? []
    if (name === undefined || extname(path) !== '.js') continue
    const imports = importsOf(outputs, path).map((one) => basename(one))
    found[name] = { script: basename(path), imports, ...(cssBundle && { style: basename(cssBundle) }) }
  }
  return found
}

/** Returns the scripts that must be loaded before a script runs. */
function importsOf(outputs, path, known = new Set()) {
  for (const { path: next, kind } of outputs[path].imports) {
    if (kind !== 'import-statement' || known.has(next)) continue
    known.add(next)
    importsOf(outputs, next, known)
  }
  return [...known]
}

/** Sheet -> its file. */
function sheetsOf({ outputs }) {
  const found = {}
  for (const [path, { entryPoint }] of Object.entries(outputs))
    if (entryPoint?.startsWith(`web/${sheetFolder}/`)) found[basename(entryPoint, '.css')] = basename(path)
  return found
}

/** Returns the folders of the packages that the files were made of. */
function packagesOf({ inputs }) {
  const folders = Object.keys(inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort()
}

/** Writes the compressed forms of a file next to it, if they are smaller. */
function compress(path) {
  const bytes = readFileSync(path)
  if (!compressed.has(extname(path)) || bytes.length < minBytes) return
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}

function stampOf(root) {
  const hash = createHash('sha256')
  const own = join(dirname(new URL(import.meta.url).pathname), 'pages.mjs')
  for (const path of [own, join(root, 'package-lock.json'), ...filesBelow(join(root, 'web'))])
    hash.update(`${path.slice(root.length)}\0`).update(readFileSync(path))
  return hash.digest('hex')
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    })
}

function readStamp(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')).stamp
  } catch {
    return undefined
  }
}
