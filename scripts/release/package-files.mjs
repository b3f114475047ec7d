// The files and the manifest of the npm package `terrane`: the bundled server, the built pages and the data that they read.
// Plain JavaScript that runs on any Node from 18.
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { buildPages } from '../setup/pages.mjs'
import { SetupError } from '../setup/run.mjs'
import { bundleServer, external } from '../setup/server.mjs'
import { writeNotices } from './third-party.mjs'

/** Folder of what is made for the package alone. The bundle is three folders below the root, as in `build/server/`. */
const packageFolder = 'build/package'
const compressedSample = 'sample/natural-earth/countries.geojson'

/** Paths of the package besides those in `build/package/`. Folders are taken whole, without what `left` matches. */
const shipped = [
  'bin/terrane.mjs',
  'src/core/bundle/server-bundle.mjs',
  'build/pages',
  'basemap/natural-earth.mbtiles',
  'sample',
  'src/geo/data',
  'src/render/pictures/fonts',
  'LICENSE',
  'NOTICE',
  'README.md',
  'CHANGELOG.md',
]
/**
 * Packages that are bundled in a checkout and installed beside the package, which must stay small: those that few servers use,
 * and those of one or a few files, which start as fast as bundled ones.
 */
const beside = [
  ...external,
  'iconv-lite',
  '@simplewebauthn/server',
  'openid-client',
  'ldapts',
  'basic-ftp',
  'pg',
  'bowser',
  'croner',
  'json5',
  'proj4',
  'saxes',
  'yauzl',
  'otpauth',
  'yaml',
  'hyparquet-writer',
]

/**
 * Builds what the package has and returns its manifest with the sorted list of its files.
 *
 * @throws {SetupError} if a part cannot be built.
 */
export async function buildPackage(root) {
  await buildPages(root)
  const folder = join(root, packageFolder)
  rmSync(folder, { recursive: true, force: true })
  const { bundle, inputs } = await buildBundle(root, folder)
  packSample(root, folder)
  const pages = JSON.parse(readFileSync(join(root, 'build/pages/pages.json'), 'utf8'))
  writeNotices(root, [...inputs, ...pages.packages], join(folder, 'third-party-licences.txt'))
  const all = [...shipped, packageFolder].flatMap((path) => filesBelow(root, path))
  const files = all.filter((path) => !isLeftOut(path, all))
  return { manifest: manifestOf(root, bundle, files.sort()), files }
}

/** Of pages only the smallest form is shipped, from which the server makes the others. */
function isLeftOut(path, all) {
  return path === compressedSample || path.endsWith('.gz') || all.includes(`${path}.br`)
}

/** Copies the package into an empty folder, with its manifest. */
export async function stagePackage(root, folder) {
  const { manifest, files } = await buildPackage(root)
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  writeFileSync(join(folder, 'package.json'), manifestText(manifest))
  return manifest
}

/** Returns the text of a manifest as npm writes it. */
export function manifestText(manifest) {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

async function buildBundle(root, folder) {
  const part = join(folder, 'part')
  const { inputs } = await bundleServer(root, part, {
    minifyWhitespace: true,
    minifySyntax: true,
    // Stack traces and messages keep the names of functions and classes.
    minifyIdentifiers: true,
    keepNames: true,
    lineLimit: 200,
    legalComments: 'none',
    external: beside,
  })
  const hash = createHash('sha256')
  for (const name of readdirSync(part).sort()) hash.update(`${name}\0`).update(readFileSync(join(part, name)))
  const bundle = `${packageFolder}/${hash.digest('hex').slice(0, 16)}`
  renameSync(part, join(root, bundle))
  return { bundle, inputs }
}

function packSample(root, folder) {
  const bytes = readFileSync(join(root, compressedSample))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  mkdirSync(join(folder, 'sample'), { recursive: true })
  const name = compressedSample.split('/').at(-1)
  writeFileSync(join(folder, 'sample', `${name}.br`), brotliCompressSync(bytes, { params }))
}

/** The packages that are not bundled become dependencies, in the versions of the lock file, which were tested. */
function manifestOf(root, bundle, files) {
  const { name, version, description, license, type, bin, dependencies: all } = readJson(root, 'package.json')
  const { packages } = readJson(root, 'package-lock.json')
  const names = beside.filter((one) => all[one] !== undefined).sort()
  const dependencies = Object.fromEntries(names.map((one) => [one, packages[`node_modules/${one}`].version]))
  const keywords = ['gis', 'geospatial', 'ogc', 'wms', 'wfs', 'vector-tiles', 'geopackage', 'postgis']
  const engines = { node: '>=24' }
  return { name, version, description, keywords, license, type, bin, bundle, files, engines, dependencies }
}

function readJson(root, path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function filesBelow(root, path) {
  const full = join(root, path)
  if (!existsSync(full)) throw new SetupError(`The package lacks ${path}`)
  if (statSync(full).isFile()) return [path]
  return readdirSync(full, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
}
